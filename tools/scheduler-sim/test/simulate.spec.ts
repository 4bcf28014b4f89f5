import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printText } from '../src/print';
import { parseScenario } from '../src/scenario';
import { simulate } from '../src/simulate';

const example = (): unknown => JSON.parse(readFileSync(join(__dirname, '../example.json'), 'utf8'));

describe('the scheduler simulator', () => {
  it('places what fits, one member of a group a host, and explains the rest', async () => {
    const results = await simulate(parseScenario(example()));
    const webs = results.filter((r) => r.request.startsWith('web'));
    expect(new Set(webs.map((r) => r.host)).size).toBe(4);
    const [db, shared] = results.slice(4);
    expect(db?.report.summary).toBe(
      '10 hosts: 2 disabled, 2 outside the availability zone or aggregates asked for, 6 lack DISK_GB (need 80, best free 61)',
    );
    expect(shared?.report.summary).toMatch(
      /^10 hosts: 8 lack COMPUTE_VOLUME_MULTI_ATTACH, 2 lack DISK_GB \(need 900, best free \d+\)$/,
    );
    expect(printText(results, true)).toContain('shared  (none)  10 hosts');
  });

  it('gives the same answer for the same seed', async () => {
    const run = async () => (await simulate(parseScenario(example()))).map((r) => r.host);
    expect(await run()).toEqual(await run());
  });

  it.each([
    ['a field', { hosts: [], requests: [], hostz: [] }, /hostz/],
    ['an option', { hosts: [], requests: [], options: { enabledFilter: [] } }, /there is no enabledFilter/],
    ['a filter', { hosts: [], requests: [], options: { enabledFilters: ['RamFilter'] } }, /unknown filter RamFilter/],
    [
      'an aggregate',
      { hosts: [{ name: 'a', vcpus: 1, memoryMb: 1, diskGb: 1, aggregates: ['x'] }], requests: [] },
      /aggregate x/,
    ],
  ])('names %s that does not exist', async (_what, file, message) => {
    await expect((async () => simulate(parseScenario(file)))()).rejects.toThrow(message);
  });
});
