import Sqlite from 'better-sqlite3';
import { balanced } from './balanced';

describe('balanced', () => {
  it('joins few conditions as they are', () => {
    expect(balanced(['a', 'b', 'c'], 'AND')).toBe('a AND b AND c');
    expect(balanced(['a'], 'OR')).toBe('a');
  });

  it('joins more than a database nests, in their order', () => {
    const db = new Sqlite(':memory:');
    const many = Array.from({ length: 5000 }, (_, i) => i);
    const ask = (word: 'AND' | 'OR', last: number) =>
      db
        .prepare(
          `SELECT 1 AS found WHERE ${balanced(
            many.map((i) => `? = ${i}`),
            word,
          )}`,
        )
        .all(...many.slice(0, -1), last);
    expect(ask('AND', 4999)).toEqual([{ found: 1 }]);
    expect(ask('AND', 0)).toEqual([]);
    expect(ask('OR', 0)).toEqual([{ found: 1 }]);
    db.close();
  });
});
