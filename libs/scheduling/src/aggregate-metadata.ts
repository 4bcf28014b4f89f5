import type { HostView } from './types';

/** The distinct values that the host's aggregates give to a key. */
export function valuesOfKey(host: Pick<HostView, 'aggregates'>, key: string): string[] {
  const values = new Set<string>();
  for (const aggregate of host.aggregates) {
    const value = aggregate.metadata[key];
    if (value !== undefined) values.add(value);
  }
  return [...values];
}

/** Every key of the host's aggregates with its values; a value may list several, separated by commas. */
export function metadataOf(host: Pick<HostView, 'aggregates'>): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const aggregate of host.aggregates) {
    for (const [key, value] of Object.entries(aggregate.metadata)) {
      const values = all.get(key) ?? new Set<string>();
      for (const one of value.split(',')) values.add(one.trim());
      all.set(key, values);
    }
  }
  return all;
}

/** How operators may write a number: Python's `int` and `float`, but for underscores and the words for infinity. */
const NUMBERS = { integer: /^\s*[+-]?\d+\s*$/, decimal: /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i } as const;

/** The least of the numbers that the host's aggregates give to a key; the fallback where there is none, or one is no number. */
export function leastNumber(
  host: Pick<HostView, 'aggregates'>,
  key: string,
  fallback: number,
  kind: keyof typeof NUMBERS = 'integer',
): number {
  if (host.aggregates.length === 0) return fallback;
  const values = valuesOfKey(host, key);
  if (values.length === 0 || !values.every((v) => NUMBERS[kind].test(v))) return fallback;
  return Math.min(...values.map(Number));
}
