import { invalid } from '@fractus/objects';
import type { Query } from './query';

export type SortDir = 'asc' | 'desc';
export interface SortKey<K extends string = string> {
  readonly key: K;
  readonly dir: SortDir;
}

export interface SortRules<K extends string> {
  /** Keys that a client may sort by. Others are `invalid`, unless ignored. */
  allowed: readonly K[];
  /** Keys that are accepted and have no effect. */
  ignored?: readonly string[];
  defaults: readonly SortKey<K>[];
}

/**
 * Reads repeated `sort_key` and `sort_dir`. As upstream: with fewer directions than keys the first direction holds for
 * the rest, and directions without keys apply to the default keys.
 */
export function parseSort<K extends string>(query: Query, rules: SortRules<K>): SortKey<K>[] {
  const keys = (query['sort_key'] ?? []).map((k) => k.trim());
  const dirs = (query['sort_dir'] ?? []).map((d) => d.trim());
  for (const dir of dirs) {
    if (dir !== 'asc' && dir !== 'desc')
      throw invalid(`sort_dir must be asc or desc, not "${dir}"`, { code: 'query.sort_dir' });
  }
  if (keys.length === 0 && dirs.length === 0) return [...rules.defaults];
  if (keys.length === 0) return rules.defaults.map(({ key }, i) => ({ key, dir: (dirs[i] ?? dirs[0]) as SortDir }));
  if (dirs.length > keys.length)
    throw invalid('there are more sort_dir than sort_key parameters', { code: 'query.sort_dir' });
  return keys.flatMap((key, i) => {
    // a key given again changes nothing
    if (keys.indexOf(key) < i) return [];
    if (rules.ignored?.includes(key)) return [];
    const known = rules.allowed.find((k) => k === key);
    if (known === undefined) throw invalid(`cannot sort by "${key}"`, { code: 'query.sort_key' });
    return [{ key: known, dir: (dirs[i] ?? dirs[0] ?? 'desc') as SortDir }];
  });
}
