/** Conditions of one level that are still joined flat. */
const FLAT = 50;

/**
 * Conditions joined by AND or OR. Many of them become a balanced tree: databases refuse expressions that are nested too
 * deeply (SQLite: a thousand levels, and a flat chain nests once per link). Their order, and so that of their
 * parameters, is kept.
 */
export function balanced(conditions: readonly string[], word: 'AND' | 'OR'): string {
  if (conditions.length <= FLAT) return conditions.join(` ${word} `);
  const half = Math.ceil(conditions.length / 2);
  return `(${balanced(conditions.slice(0, half), word)}) ${word} (${balanced(conditions.slice(half), word)})`;
}
