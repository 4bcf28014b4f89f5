import type { Database } from '@fractus/database';
import { eachDatabase, statementsOf } from '@fractus/database/testing';
import { isFractusError } from '@fractus/objects';
import fc from 'fast-check';
import { COMPUTE_SCHEMA, type QuotaDelta, QuotaLimitsRepository, QuotaUsagesRepository } from './index';

jest.setTimeout(60_000);

const one: QuotaDelta = { instances: 1, cores: 2, ram: 64 };
const configured = { instances: 6, cores: -1, ram: -1 };

eachDatabase('quota usages', (open) => {
  let db: Database;
  let quota: QuotaUsagesRepository;
  beforeEach(async () => {
    db = await open(COMPUTE_SCHEMA);
    quota = new QuotaUsagesRepository(db, configured);
  });
  afterEach(() => db.close());

  const claim = (userId: string, delta = one): Promise<boolean> =>
    db
      .transaction((tx) => quota.claim(tx, 'p1', userId, delta))
      .then(
        () => true,
        (e: unknown) => (isFractusError(e, 'forbidden') ? false : Promise.reject(e as Error)),
      );
  const release = (userId: string): Promise<void> => db.transaction((tx) => quota.release(tx, 'p1', userId, one));
  const limit = (userId: string, instances: number): Promise<void> =>
    new QuotaLimitsRepository(db, {
      ...configured,
      metadataItems: 1,
      injectedFiles: 1,
      injectedFileContentBytes: 1,
      injectedFilePathBytes: 1,
      keyPairs: 1,
      serverGroups: 1,
      serverGroupMembers: 1,
    }).set('p1', userId, { instances });
  const used = async (userId?: string): Promise<number> => (await quota.usage('p1', userId)).instances;

  it('are claimed by one read and one write, and released by one write', async () => {
    expect(await statementsOf(db, () => claim('u1'))).toHaveLength(3); // its rows are made
    expect(await statementsOf(db, () => claim('u1'))).toHaveLength(2);
    expect(await statementsOf(db, () => release('u1'))).toHaveLength(1);
    expect([await quota.usage('p1'), await quota.usage('p1', 'u1')]).toEqual([one, one]);
  });

  it('count for the project alone where there is no user', async () => {
    expect(await claim('')).toBe(true);
    expect([await used(), await used('u1')]).toEqual([1, 0]);
    await release('');
    expect(await used()).toBe(0);
  });

  it('are refused whole: what did not fit the project is not kept for the user', async () => {
    expect(await claim('u1', { ...one, instances: 7 })).toBe(false);
    for (let i = 0; i < 6; i++) expect(await claim('u1')).toBe(true);
    expect(await claim('u2')).toBe(false);
    expect([await used(), await used('u1'), await used('u2')]).toEqual([6, 6, 0]);
  });

  it.each([
    ['tighter than the project', 2, 2],
    ['wider than the project', 9, 6],
    ['none', -1, 6],
  ])('keep to a limit of the user that is %s', async (_name, own, fits) => {
    await limit('u1', own);
    const all = await Promise.all(Array.from({ length: 10 }, () => claim('u1')));
    expect(all.filter(Boolean)).toHaveLength(fits);
    expect([await used(), await used('u1')]).toEqual([fits, fits]);
  });

  it('keep to a limit of the user where the project has none', async () => {
    await limit('', -1);
    await limit('u1', 3);
    const all = await Promise.all(Array.from({ length: 16 }, (_, i) => claim(i % 2 ? 'u1' : 'u2')));
    expect(all.filter(Boolean)).toHaveLength(8 + 3);
    expect([await used(), await used('u1'), await used('u2')]).toEqual([11, 3, 8]);
  });

  it('are the sum of what was claimed and not released, and within limits, whatever came at once', async () => {
    await limit('u1', 3);
    const step = fc.record({ user: fc.constantFrom('u1', 'u2', 'u3'), claims: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 16, maxLength: 16 }), async (steps) => {
        await db.transaction((tx) => tx.execute('DELETE FROM quota_usages'));
        const held: Record<string, number> = { u1: 0, u2: 0, u3: 0 };
        const spare: string[] = [];
        await Promise.all(
          steps.map(async ({ user, claims }) => {
            if (claims && (await claim(user))) {
              held[user]!++;
              spare.push(user);
            }
            const giving = claims ? undefined : spare.pop();
            if (giving === undefined) return;
            await release(giving);
            held[giving]!--;
          }),
        );
        const by = await Promise.all(['u1', 'u2', 'u3'].map((user) => used(user)));
        expect(by).toEqual([held['u1'], held['u2'], held['u3']]);
        expect(await used()).toBe(by.reduce((a, b) => a + b));
        expect(by[0]).toBeLessThanOrEqual(3);
        expect(await used()).toBeLessThanOrEqual(6);
      }),
      { numRuns: 15 },
    );
  });
});
