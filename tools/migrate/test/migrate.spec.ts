import { eachDatabaseUrl } from '@fractus/database/testing';
import { DATABASES, migrate } from '../src/migrate';

eachDatabaseUrl('the command that migrates', (newUrl) => {
  it.each(Object.keys(DATABASES))('makes a whole %s database, and has nothing to do the second time', async (name) => {
    const env = { FRACTUS_MIGRATE_URL: await newUrl() };
    expect((await migrate([name], env)).length).toBe(DATABASES[name]!.length);
    expect(await migrate([name, '--url', env.FRACTUS_MIGRATE_URL], {})).toEqual([`${name}: up to date`]);
  });
});

describe('the command that migrates', () => {
  it('says how it is used', async () => {
    for (const args of [[], ['nova', '--url', 'sqlite::memory:'], ['compute']])
      await expect(migrate(args, {})).rejects.toThrow(/^usage: npm run migrate -- compute\|placement/);
    await expect(migrate(['compute', '--url', 'postgres://u:secret@h/n'], {})).rejects.toThrow(
      'database url must start with sqlite: or mysql://, not postgres:',
    );
  });
});
