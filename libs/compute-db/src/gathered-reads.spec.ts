import { type Database } from '@fractus/database';
import { openTestSqlite } from '@fractus/database/testing';
import { COMPUTE_SCHEMA } from './index';
import { GatheredReads } from './gathered-reads';

interface Statement {
  readonly keys: readonly string[];
  answer(): void;
  fail(): void;
}
const turn = (): Promise<void> => new Promise(setImmediate);

describe('gathered reads', () => {
  let db: Database;
  let open: Statement[];
  let state: number;
  let reads: GatheredReads<number>;
  beforeAll(async () => void (db = await openTestSqlite(COMPUTE_SCHEMA)));
  afterAll(() => db.close());
  beforeEach(() => {
    open = [];
    state = 0;
    reads = new GatheredReads(db, (keys) => {
      // the oldest that this statement may tell
      const told = new Map(keys.filter((k) => k !== 'none').map((k) => [k, state]));
      return new Promise((resolve, reject) =>
        open.push({ keys, answer: () => resolve(told), fail: () => reject(new Error('refused')) }),
      );
    });
  });
  const loads = (...keys: string[]): Promise<(number | undefined)[]> => Promise.all(keys.map((k) => reads.load(k)));
  const answer = async (how: 'answer' | 'fail' = 'answer'): Promise<readonly string[]> => {
    const statement = open.shift()!;
    statement[how]();
    await turn();
    return statement.keys;
  };

  it('are one statement for all who ask in the same turn', async () => {
    const asked = loads('a', 'b', 'a', 'none');
    await turn();
    expect(await answer()).toEqual(['a', 'b', 'none']);
    expect(await asked).toEqual([0, 0, 0, undefined]);
    expect(open).toEqual([]);
  });

  it('are one statement for all who wait, and tell each what was true after it asked', async () => {
    const [first, second] = [loads('a'), (await turn(), loads('b'))];
    await turn();
    state = 1;
    const waiting = loads('a', 'c', ...Array.from({ length: 20 }, (_, i) => `d${i}`));
    await turn();
    expect(open.map((s) => s.keys)).toEqual([['a'], ['b']]);
    await answer();
    state = 2;
    const last = loads('a');
    await turn();
    expect(open.map((s) => s.keys.length)).toEqual([1, 22]);
    await answer();
    await answer();
    await answer();
    expect([await first, await second, [...new Set(await waiting)], await last]).toEqual([[0], [0], [1], [2]]);
  });

  it('are statements of a bounded length', async () => {
    const asked = loads(...Array.from({ length: 250 }, (_, i) => `k${i}`));
    await turn();
    const lengths: number[] = [];
    while (open.length > 0) lengths.push((await answer()).length);
    expect(lengths).toEqual([100, 100, 50]);
    expect(await asked).toHaveLength(250);
  });

  it('fail for those alone who shared the statement that failed', async () => {
    const first = loads('a');
    await turn();
    const second = loads('b');
    await turn();
    const failing = expect(first).rejects.toThrow('refused');
    await answer('fail');
    await failing;
    await answer();
    expect(await second).toEqual([0]);
    const third = loads('c');
    await turn();
    await answer();
    expect(await third).toEqual([0]);
  });

  it('are not gathered within a unit of work, which reads what it wrote itself', async () => {
    await db.transaction(async () => {
      const asked = loads('a');
      expect(open.map((s) => s.keys)).toEqual([['a']]);
      await answer();
      expect(await asked).toEqual([0]);
    });
  });
});
