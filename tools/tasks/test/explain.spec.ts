import type { TaskDetail } from '@fractus/compute-db';
import { explain, type Facts } from '../src/explain';

const NOW = Date.parse('2027-01-15T08:00:00Z');
const MINUTE = 60_000;
const facts: Facts = {
  now: NOW,
  hosts: new Map([
    ['h1', { lastSeenAt: NOW - 5 * MINUTE, forcedDown: false }],
    ['h2', { lastSeenAt: NOW, forcedDown: true }],
  ]),
};
const OPEN: TaskDetail = {
  ...{ id: 't1', type: 'build-server', status: 'open', serverId: 's1', projectId: 'p1', step: 'spawn' },
  ...{ direction: 'forward', attempt: 2, retries: 0, trouble: null, awaits: null, lease: null },
  ...{ readyAt: NOW - 1000, stepAt: NOW - 3 * MINUTE, expiresAt: NOW + 50 * MINUTE, createdAt: NOW - 10 * MINUTE },
  ...{ updatedAt: NOW, finishedAt: null, endRequest: null, failure: null, stuck: null, requestId: 'req-1' },
  ...{ userId: 'u1', fence: 3, supersedes: null, hosts: ['h1'], left: [], results: {}, fault: null, action: null },
  ...{ server: { name: 'web', vmState: 'building', taskState: 'spawning', powerState: 0, host: 'h1', deleted: false } },
  ...{ events: [], others: [] },
} as TaskDetail;
const told = (patch: Partial<TaskDetail>): string => explain({ ...OPEN, ...patch }, facts).join('\n');

describe('a task in words', () => {
  it('says what it is and where it stands', () => {
    const text = told({ stuck: 'at attempt 2 for long' });
    expect(text).toContain("state      open at step 'spawn', attempt 2");
    expect(text).toContain('server     s1  web  (building, spawning, on h1)');
    expect(text).toContain('asked for  2027-01-15 07:50:00Z (10 min ago) by user u1 of project p1');
    expect(text).toContain('stuck      at attempt 2 for long');
    expect(text).toContain('past 2027-01-15 08:50:00Z (in 50 min) it is given up');
  });

  it.each<[string, Partial<TaskDetail>, string[]]>([
    ['leased', { lease: { owner: 'c1/7', until: NOW + 20_000 } }, ['nothing: c1/7 works on it', 'should c1/7 die, another conductor takes over after 2027-01-15 08:00:20Z (in 20 s)', 'retry    is refused']],
    ['waiting for a host that is down', { awaits: 'h1', readyAt: NOW + MINUTE }, ["the answer of host h1 to step 'spawn', since 2027-01-15 07:57:00Z (3 min ago)", 'host h1 was last heard of 5 min ago', 'as silent 2027-01-15 08:01:00Z (in 1 min)']],
    ['waiting for a host that is forced down', { awaits: 'h2', readyAt: NOW + MINUTE }, ['host h2 is forced down']],
    ['waiting for a host without a service', { awaits: 'h3', readyAt: NOW + MINUTE }, ['no service of host h3 is known']],
    ['due', {}, ['a conductor: it has been due since 2027-01-15 07:59:59Z (1 s ago)', 'If none does, none runs']],
    ['paused', { readyAt: NOW + 4000, retries: 3, trouble: { code: 'rpc.closed', message: 'placement is away', at: NOW - 1000, since: NOW - 5 * MINUTE } }, ['the end of a pause', 'repeated 3 times', 'placement is away (rpc.closed)', "step 'spawn' is run again"]],
    ['behind the task it superseded', { supersedes: 't0', others: [{ ...OPEN, id: 't0', status: 'superseded', lease: { owner: 'c1/7', until: NOW + 9000 } }] }, ['the end of the task it took over from, t0', 'or runs out: 2027-01-15 08:00:09Z (in 9 s)']],
    ['to be ended', { endRequest: { at: NOW - 1000, by: 'ann', reason: 'fire' } }, ['ann asked for its end 2027-01-15 07:59:59Z (1 s ago) (fire): the next conductor', 'abandon  has been asked for', 'the wish to end it is withdrawn']],
    ['being undone', { direction: 'undo', step: 'spawn:undo', failure: { code: 'x', message: 'no room' } }, ['being undone', 'failure    no room (x)', 'abandon  gives up the undoing']],
    ['a delete', { type: 'delete-server' }, ['abandon  ends it as failed: nothing is undone']],
    ['a stop', { type: 'stop-server' }, ['the server goes to the state of a failed action']],
    ['not yet leased', { step: '', fence: 0 }, ['open at its first step', 'no conductor has leased it yet']],
  ])('says what one waits for, what comes next and what can be done: %s', (_, patch, sentences) => {
    const text = told(patch);
    for (const sentence of sentences) expect(text).toContain(sentence);
  }); // prettier-ignore

  it('tells what was done, where, and what it left', () => {
    const text = told({
      status: 'failed',
      finishedAt: NOW - 1000,
      left: ['h9'],
      results: { destination: { host: 'h1' } },
      events: [
        { event: 'spawn', startedAt: NOW - 9000, finishedAt: NOW - 4000, result: 'Error', traceback: null, host: 'h1', details: 'no image\nat x' },
      ],
    }); // prettier-ignore
    expect(text).toContain('spawn on h1: Error after 5.0 s: no image');
    expect(text).toContain('operations were sent to: h1');
    expect(text).toContain('destination: {"host":"h1"}');
    expect(text).toContain('may have left a guest on h9');
    expect(text).toContain('what is left on h9 is destroyed when that host is heard of again');
    expect(text).toContain('nothing: it has ended');
    expect(text).not.toContain('waits for');
  });
});
