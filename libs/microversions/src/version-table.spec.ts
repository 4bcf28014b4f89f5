import fc from 'fast-check';
import { added, defineVersion, defineVersions, removed, reshaped } from './index';
import type { ApiVersions, VersionChange, View } from './index';

const api: ApiVersions = { service: 'compute', min: '2.1', max: '2.104', dialect: 'nova' };

describe('defineVersions', () => {
  const change = (version: string, more: Partial<VersionChange> = {}): VersionChange => ({
    version,
    summary: 's',
    ...more,
  });
  it.each([
    ['out of order', [change('2.10'), change('2.9')]],
    ['twice', [change('2.10'), change('2.10')]],
    ['out of range', [change('2.105')]],
    ['a flag that turns on twice', [change('2.10', { turnsOn: ['a'] }), change('2.11', { turnsOn: ['a'] })]],
  ])('refuses %s', (_, changes) => expect(() => defineVersions(api, changes)).toThrow());

  it('knows a flag that turns on and off again', () => {
    const table = defineVersions(api, [change('2.10', { turnsOn: ['a'] }), change('2.20', { turnsOff: ['a'] })]);
    expect(['2.9', '2.10', '2.19', '2.20'].map((v) => table.flags(v).a)).toEqual([false, true, true, false]);
  });

  it('shows a field from the version that added it up to the one that removed it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 104 }),
        fc.integer({ min: 2, max: 104 }),
        fc.integer({ min: 1, max: 104 }),
        (x, y, at) => {
          fc.pre(x < y);
          const table = defineVersions(api, [
            defineVersion({ version: `2.${x}`, summary: '', responses: [added('v', 'f')] }),
            defineVersion({ version: `2.${y}`, summary: '', responses: [removed('v', 'f')] }),
          ]);
          const step = table.view('v', `2.${at}`) ?? ((v: View) => v);
          const shown = x <= at && at < y;
          expect(JSON.stringify(step({ f: 1, g: 2 }))).toBe(JSON.stringify(shown ? { f: 1, g: 2 } : { g: 2 }));
        },
      ),
    );
  });

  it('reshapes newest first, and hands out one function per version', () => {
    const table = defineVersions(api, [
      change('2.10', { responses: [reshaped('v', (v) => ({ ...v, path: [...(v.path as number[]), 10] }))] }),
      change('2.20', { responses: [reshaped('v', (v) => ({ ...v, path: [...(v.path as number[]), 20] }))] }),
    ]);
    expect(table.view('v', '2.5')?.({ path: [] })).toEqual({ path: [20, 10] });
    expect(table.view('v', '2.10')?.({ path: [] })).toEqual({ path: [20] });
    expect(table.view('v', '2.20')).toBeUndefined();
    expect(table.view('v', '2.5')).toBe(table.view('v', '2.5'));
  });
});
