/** What operators read: columns, ages, instants. */

/** Rows under a heading, each column as wide as its widest cell; the last column takes what it needs. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [heading, ...rows];
  const widths = heading.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

const UNITS: readonly [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];

/** `3 min 20 s`, `2 d 4 h`, `0 s`: the two largest units. */
export function duration(ms: number): string {
  let rest = Math.max(0, Math.round(ms / 1000) * 1000);
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count} ${unit}`);
    rest -= count * size;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0 s';
}

/** An instant with its distance from `now`: `2027-01-15 08:00:00Z (3 min 20 s ago)`. */
export function instant(at: number, now: number): string {
  const text = new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
  return `${text} (${at > now ? `in ${duration(at - now)}` : `${duration(now - at)} ago`})`;
}

/** `1 task`, `2 tasks`. */
export const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

/** A URL without what is secret in it. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z+]+:\/\/[^:/@]*):[^@]*@/i, '$1:***@');
}
