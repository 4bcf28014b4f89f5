import { eachDatabase } from '@fractus/database/testing';
import { COMPUTE_SCHEMA, FailedAttemptsRepository, ScheduleAttemptsRepository } from './index';

eachDatabase('failed attempts', (open) => {
  it('are read newest first, so many of so many', async () => {
    const db = await open(COMPUTE_SCHEMA);
    const attempts = new ScheduleAttemptsRepository(db);
    const about = { serverId: 's', taskId: null, requestId: 'req-1', operation: 'create', summary: '', durationMs: 3 };
    const given = ['selected', 'no_valid_host', 'selected', 'claims_exhausted', 'no_valid_host', 'selected'];
    for (const [i, outcome] of given.entries())
      await attempts.add({ ...about, attemptId: `a${i}`, outcome, report: { at: i }, startedAt: i * 10 });
    const read = async (since: number, limit: number, among: number) => {
      const { attempts: found, truncated } = await new FailedAttemptsRepository(db).since({ since, limit, among });
      return [found.map((f) => [f.startedAt, f.report]), truncated];
    };
    const at = (...which: number[]) => which.map((i) => [i * 10, { at: i }]);
    expect(await read(0, 10, 10)).toEqual([at(4, 3, 1), false]);
    expect(await read(20, 10, 10)).toEqual([at(4, 3), false]);
    expect(await read(0, 2, 10)).toEqual([at(4, 3), true]);
    expect(await read(0, 10, 3)).toEqual([at(4, 3), true]);
    expect(await read(60, 10, 10)).toEqual([[], false]);
    await db.close();
  });
});
