import { eachDatabase } from '@fractus/database/testing';
import { COMPUTE_SCHEMA, ScheduleAttemptsRepository } from './index';

eachDatabase('schedule attempts', (open) => {
  it('are found by id and by server, newest first, and forgotten by age', async () => {
    const db = await open(COMPUTE_SCHEMA);
    const attempts = new ScheduleAttemptsRepository(db);
    const attempt = (attemptId: string, startedAt: number) => ({
      attemptId,
      serverId: 's',
      taskId: null,
      requestId: 'req-1',
      operation: 'create',
      outcome: 'no_valid_host',
      summary: 'x'.repeat(2000),
      report: { stages: [{ in: 1 }] },
      startedAt,
      durationMs: 3,
    });
    for (const [id, at] of [
      ['a', 10],
      ['b', 20],
      ['c', 30],
    ] as const)
      await attempts.add(attempt(id, at));
    expect((await attempts.ofServer('s', 2)).map((a) => a.attemptId)).toEqual(['c', 'b']);
    expect(await attempts.find('b')).toEqual({ ...attempt('b', 20), summary: 'x'.repeat(1024) });
    expect(await attempts.prune(25, 1)).toBe(1);
    expect(await attempts.prune(25)).toBe(1);
    expect((await attempts.ofServer('s')).map((a) => a.attemptId)).toEqual(['c']);
    expect(await attempts.find('a')).toBeNull();
    await db.close();
  });
});
