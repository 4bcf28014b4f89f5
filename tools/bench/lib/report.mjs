import { round } from './stats.mjs';

/** One flat object for `--json`; nested figures stay nested. CPU is given per operation where there was one. */
export function result(command, figures, { wallMs, cpu, client, retriedSockets }) {
  const perOperation = cpu && figures.operations ? cpu.total / figures.operations : null;
  return {
    bench: command,
    ...figures,
    took_s: round(wallMs / 1000),
    ...(cpu && {
      cpu_s: round(cpu.total),
      cpu_s_per_operation: round(perOperation, 5),
      cpu_s_by: Object.fromEntries(Object.entries(cpu.by).map(([name, s]) => [name, round(s)])),
    }),
    client_cpu_s: round(client),
    ...(retriedSockets && { retried_sockets: retriedSockets }),
  };
}

/** Lines for people: `name  value`, nested figures on one line. */
export function text(report) {
  const rows = Object.entries(report).map(([key, value]) => [key, show(value)]);
  const width = Math.max(...rows.map(([key]) => key.length));
  return rows.map(([key, value]) => `${key.padEnd(width)}  ${value}`).join('\n');
}

function show(value) {
  if (Array.isArray(value)) return value.length ? value.join('; ') : 'none';
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, v]) => `${key} ${show(v)}`)
    .join('  ');
}
