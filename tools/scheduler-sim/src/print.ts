import type { SimResult } from './simulate';

/** One line a request; with `hosts`, the reasons of single hosts under it. */
export function printText(results: readonly SimResult[], hosts: boolean): string {
  const width = Math.max(...results.map((r) => r.request.length), 0);
  return results
    .flatMap(({ request, host, report }) => [
      `${request.padEnd(width)}  ${host ?? '(none)'}  ${report.summary}`,
      ...(hosts ? report.hosts.map((h) => `${' '.repeat(width)}    ${h.by}: ${h.sentence}`) : []),
      ...(hosts && report.hostsOmitted > 0 ? [`${' '.repeat(width)}    and ${report.hostsOmitted} more`] : []),
    ])
    .join('\n');
}
