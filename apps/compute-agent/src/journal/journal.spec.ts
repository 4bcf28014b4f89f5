import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { OperationRef } from '@fractus/rpc-contracts';
import { Journal, operationKey, SUPERSEDED, type Verdict } from './journal';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const ref = (overrides: Partial<OperationRef> = {}): OperationRef => ({
  taskId: uuid(1),
  serverId: uuid(2),
  step: 'spawn',
  attempt: 1,
  fence: 1,
  host: 'a',
  silenceSeconds: 30,
  ...overrides,
});

describe('journal', () => {
  let dir: string;
  let now: number;
  let journal: Journal;

  const open = (): Journal => (journal = new Journal({ path: join(dir, 'journal.db'), now: () => now }));
  const begin = (r: OperationRef, { builds = true, forever = false } = {}): Verdict =>
    journal.begin({ operation: builds ? 'build' : 'destroy', ref: r, requestId: 'req-1', builds, forever });
  const done = { outcome: 'done', powerState: 1 } as const;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'fractus-journal-'));
    now = 1_000_000;
    open();
  });
  afterEach(() => {
    journal.close();
    rmSync(dir, { recursive: true });
  });

  it('keeps what was durable over a crash, and nothing else', async () => {
    begin(ref());
    await journal.durable();
    journal.finish(operationKey(ref()), done);
    journal.crash();
    open();
    expect(journal.unreported()).toEqual([]);
    expect(begin(ref())).toMatchObject({ kind: 'run', resumed: true });
    journal.finish(operationKey(ref()), done);
    await journal.durable();
    journal.crash();
    open();
    expect(journal.unreported()).toEqual([
      { key: operationKey(ref()), requestId: 'req-1', finished: { operation: ref(), ...done } },
    ]);
  });

  it('keeps the first result of an operation', () => {
    begin(ref());
    journal.finish(operationKey(ref()), done);
    journal.finish(operationKey(ref()), { outcome: 'failed' });
    expect(begin(ref({ fence: 2 }))).toMatchObject({
      kind: 'replay',
      report: { finished: { outcome: 'done', replayed: true, operation: { fence: 2 } } },
    });
  });

  it('reports until told that it was taken, and again when asked again', async () => {
    begin(ref());
    journal.finish(operationKey(ref()), done);
    journal.markReported(operationKey(ref()), 1);
    expect(journal.unreported()).toEqual([]);
    begin(ref({ fence: 2 }));
    // the transport took the older answer only now
    journal.markReported(operationKey(ref()), 1);
    expect(journal.unreported()).toHaveLength(1);
  });

  it('takes an attempt that comes after a later one of the same lease for late', () => {
    begin(ref({ attempt: 2 }));
    expect(begin(ref({ attempt: 1 }))).toMatchObject({ kind: 'stale' });
    expect(begin(ref({ attempt: 1, host: 'b' }))).toMatchObject({ kind: 'run' });
    expect(begin(ref({ attempt: 1, fence: 2 }))).toMatchObject({ kind: 'run' });
  });

  it('does anew what was called off', () => {
    begin(ref());
    journal.finish(operationKey(ref()), {
      outcome: 'failed',
      error: { code: SUPERSEDED, message: '', retryElsewhere: false },
    });
    expect(begin(ref({ fence: 2 }))).toMatchObject({ kind: 'run', resumed: true });
    journal.finish(operationKey(ref()), done);
    expect(journal.reportOf(operationKey(ref()))?.finished).toEqual({ operation: ref({ fence: 2 }), ...done });
  });

  it('forgets what is old and told, but neither what is untold nor its fence', async () => {
    const [told, untold] = [ref(), ref({ serverId: uuid(3), taskId: uuid(4) })];
    for (const r of [told, untold]) {
      begin(r);
      journal.finish(operationKey(r), done);
    }
    journal.markReported(operationKey(told), 1);
    begin(ref({ serverId: uuid(5), taskId: uuid(6) }), { builds: false, forever: true });
    now += 10;
    journal.compact(now);
    expect([uuid(2), uuid(3), uuid(5)].map((s) => journal.fenceOf(s))).toEqual([0, 1, 0]);
    expect(journal.hasTombstone(uuid(5))).toBe(false);
    expect(journal.unreported().map((r) => r.key)).toEqual([operationKey(untold)]);
  });

  it('gives every life a higher number, also when the clock was set back', () => {
    const first = journal.beginLife();
    expect(first).toBe(now);
    journal.crash();
    now -= 3_600_000;
    expect(open().beginLife()).toBe(first + 1);
    now += 7_200_000;
    expect(journal.beginLife()).toBe(now);
  });

  it('keeps ids of nodes', async () => {
    journal.saveNodeIds([
      ['a', uuid(1)],
      ['b', uuid(2)],
    ]);
    await journal.durable();
    journal.crash();
    open();
    expect(journal.nodeIds()).toEqual(
      new Map([
        ['a', uuid(1)],
        ['b', uuid(2)],
      ]),
    );
  });

  it('rejects those who wait when the disk refuses, and has then forgotten all of the group', async () => {
    begin(ref());
    const waiting = journal.durable();
    // the file is taken away from under the transaction: the commit cannot succeed
    (journal as unknown as { db: { exec(sql: string): void } }).db.exec('ROLLBACK');
    await expect(waiting).rejects.toMatchObject({ message: expect.stringContaining('no transaction is active') });
    expect(journal.fenceOf(uuid(2))).toBe(0);
  });
});

/** What may happen to an agent, in any order: messages (new, repeated, late), ends of effects, crashes. */
type Event =
  | {
      kind: 'message';
      server: number;
      task: number;
      step: 'spawn' | 'destroy';
      attempt: number;
      fence: number;
      host: string;
    }
  | { kind: 'end' }
  | { kind: 'crash' };

const events = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('message' as const),
        server: fc.integer({ min: 1, max: 2 }),
        task: fc.integer({ min: 1, max: 3 }),
        step: fc.constantFrom('spawn' as const, 'destroy' as const),
        attempt: fc.integer({ min: 1, max: 2 }),
        fence: fc.integer({ min: 1, max: 4 }),
        host: fc.constantFrom('a', 'b'),
      }),
    },
    { weight: 3, arbitrary: fc.constant({ kind: 'end' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
  ),
  { maxLength: 60 },
);

describe('journal, whatever comes', () => {
  it('lets each operation take effect once, never lowers a fence, obeys no lower one, and builds nothing after a tombstone', async () => {
    await fc.assert(
      fc.asyncProperty(events, (story) => tell(story)),
      { numRuns: 60 },
    );
  }, 60_000);
});

/** Plays a story against a journal on disk; throws where an invariant breaks. */
async function tell(story: readonly Event[]): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'fractus-journal-'));
  const open = (): Journal => new Journal({ path: join(dir, 'journal.db'), now: () => 1 });
  let journal = open();
  const running: OperationRef[] = [];
  const completed = new Map<string, number>();
  const highest = new Map<string, number>();
  const deleted = new Set<string>();
  for (const event of story) {
    if (event.kind === 'crash') {
      journal.crash();
      journal = open();
      running.length = 0;
    } else if (event.kind === 'end') {
      const r = running.shift();
      if (!r) continue;
      journal.finish(operationKey(r), { outcome: 'done' });
      await journal.durable();
      completed.set(operationKey(r), (completed.get(operationKey(r)) ?? 0) + 1);
    } else {
      const builds = event.step === 'spawn';
      // a task belongs to one server
      const r = ref({
        taskId: uuid(10 * event.server + event.task),
        serverId: uuid(event.server),
        step: event.step,
        attempt: event.attempt,
        fence: event.fence,
        host: event.host,
      });
      if (running.some((x) => operationKey(x) === operationKey(r))) continue; // the runner joins these
      const verdict = journal.begin({
        operation: builds ? 'build' : 'destroy',
        ref: r,
        requestId: 'req',
        builds,
        forever: !builds && event.attempt === 2,
      });
      await journal.durable();
      const before = highest.get(r.serverId) ?? 0;
      expect(verdict.kind === 'stale' || r.fence >= before).toBe(true);
      if (r.fence < before) expect(verdict.kind).toBe('stale');
      expect(completed.has(operationKey(r)) && verdict.kind === 'run').toBe(false);
      expect(builds && deleted.has(r.serverId) && verdict.kind === 'run').toBe(false);
      if (verdict.kind === 'run') running.push(r);
      if (verdict.kind !== 'stale') highest.set(r.serverId, Math.max(before, r.fence));
      if (verdict.kind !== 'stale' && !builds && event.attempt === 2) deleted.add(r.serverId);
      expect(journal.fenceOf(r.serverId)).toBe(highest.get(r.serverId) ?? 0);
    }
  }
  expect([...completed.values()].every((n) => n === 1)).toBe(true);
  journal.close();
  rmSync(dir, { recursive: true });
}
