import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DEFAULT_ENABLED_FILTERS, DEFAULT_OPTIONS, FILTERS, REQUEST_FILTERS, WEIGHERS } from '../src';

const page = readFileSync(resolve(__dirname, '../../../docs/filters.md'), 'utf8');

/** Cells of the rows under a heading, the first table only, without its head. */
function table(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const lines = section.split('\n');
  const rows = lines.slice(lines.findIndex((l) => l.startsWith('|')));
  const end = rows.findIndex((l) => !l.startsWith('|'));
  return rows.slice(2, end).map((l) =>
    l
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
const quoted = (cell: string | undefined) => [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, word]) => word);

describe('docs/filters.md', () => {
  it('has every filter in the order they run, with its default and codes', () => {
    const enabled: readonly string[] = DEFAULT_ENABLED_FILTERS;
    const runs = (f: (typeof FILTERS)[number]) => (f.always ? 'always' : enabled.includes(f.name) ? 'on' : 'off');
    const rows = table('Filters').map(([name, how, , , codes]) => [name, how, quoted(codes)]);
    expect(rows).toEqual(FILTERS.map((f) => [f.name, runs(f), Object.keys(f.codes)]));
  });

  it('has every weigher with its multiplier', () => {
    const rows = table('Weighers').map(([name, option, value]) => [name, quoted(option), Number(value)]);
    expect(rows).toEqual(
      WEIGHERS.map(({ name, multiplier }) => [
        name,
        [multiplier, `${multiplier}_weight_multiplier`],
        DEFAULT_OPTIONS.multipliers[multiplier],
      ]),
    );
  });

  it('has every request filter in the order they run', () => {
    expect(table('Request filters').map(([name]) => name)).toEqual(REQUEST_FILTERS.map((f) => f.name));
  });

  it('tells of every option, and of no other switch', () => {
    const words = new Set([...page.matchAll(/`([A-Za-z]+)`/g)].map(([, word]) => word));
    expect(Object.keys(DEFAULT_OPTIONS).filter((o) => o !== 'multipliers' && !words.has(o))).toEqual([]);
    const switches = table('Request filters').flatMap(([, cell]) => quoted(cell));
    expect(switches.filter((s) => !Object.hasOwn(DEFAULT_OPTIONS, s ?? ''))).toEqual([]);
    const off = table('Request filters')
      .filter(([, cell]) => cell?.includes('(off)'))
      .flatMap(([, c]) => quoted(c));
    for (const name of off)
      expect([name, DEFAULT_OPTIONS[name as keyof typeof DEFAULT_OPTIONS]]).toEqual([name, false]);
  });
});
