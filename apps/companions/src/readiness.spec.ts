import { openDatabase } from '@fractus/database';
import { readiness } from './readiness';

it('a companion without its database says what is wrong', async () => {
  const db = await openDatabase({ url: 'sqlite::memory:', entities: [], migrations: [] });
  expect(await readiness(db)).toEqual([{ part: 'database', ok: true }]);
  await db.close();
  expect(await readiness(db)).toEqual([{ part: 'database', ok: false, why: expect.stringMatching(/database/) }]);
});
