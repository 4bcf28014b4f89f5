import type { FastifyRequest } from 'fastify';
import * as fc from 'fast-check';
import {
  isFullPage,
  isoTime,
  isoTimeMicros,
  nextHref,
  originOf,
  parsePage,
  parseQuery,
  parseSort,
  parseTime,
  type SortRules,
} from './index';
import { originBy } from './links';

const asked = (url: string, headers: Record<string, string> = { host: 'api:8774' }): FastifyRequest =>
  ({ originalUrl: url, headers, fractusOrigin: null, socket: { localAddress: '10.0.0.1', localPort: 80 } }) as never;

describe('parseQuery', () => {
  it('reads back what URLSearchParams writes', () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })));
    fc.assert(
      fc.property(pairs, (list) => {
        const query = parseQuery(new URLSearchParams(list).toString());
        for (const [name] of list) expect(query[name]).toEqual(list.filter(([n]) => n === name).map(([, v]) => v));
      }),
    );
  });

  it.each([
    ['', {}],
    ['a', { a: [''] }],
    ['a=&&=b', { a: [''], '': ['b'] }],
    ['a=b=c', { a: ['b=c'] }],
    ['__proto__=x', { ['__proto__']: ['x'] }],
    ['a=50%', { a: ['50%'] }],
    ['a=%zz+1', { a: ['%zz 1'] }],
  ])('%j', (raw, query) => {
    expect(Object.entries(parseQuery(raw))).toEqual(Object.entries(query));
  });

  it('refuses what is not UTF-8', () => {
    expect(() => parseQuery('a=%ff')).toThrow(/UTF-8/);
    expect(() => parseQuery('a=\xff')).toThrow(/UTF-8/);
  });
});

describe('pages', () => {
  const page = (query: string): unknown => parsePage(parseQuery(query), { maxLimit: 100 });
  it.each([
    ['', { limit: 100 }],
    ['limit=7&marker=m', { limit: 7, marker: 'm' }],
    ['limit=1000', { limit: 100 }],
    ['limit=0', { limit: 0 }],
  ])('%j', (query, expected) => expect(page(query)).toEqual(expected));
  it.each(['limit=-1', 'limit=x', 'limit=', 'limit=1.5', 'limit=99999999999999999999'])('%s is refused', (query) =>
    expect(() => page(query)).toThrow(expect.objectContaining({ kind: 'invalid', code: 'query.limit' })),
  );

  it('links to the next page with everything else that was asked', () => {
    const request = asked('/v2.1/servers?name=a+b&marker=old&limit=2&tags=x&tags=y');
    expect(nextHref(request, 'id 3')).toBe('http://api:8774/v2.1/servers?limit=2&name=a+b&tags=x&tags=y&marker=id+3');
    expect([isFullPage(2, { limit: 2 }), isFullPage(1, { limit: 2 }), isFullPage(0, { limit: 0 })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('origin of links', () => {
  const evil = {
    host: 'evil"><script>',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'cloud.example, inner',
    'x-forwarded-prefix': '/compute',
  };
  it('is the Host header, if it is one', () => {
    expect(originOf(asked('/', { host: '[::1]:8774' }))).toBe('http://[::1]:8774');
    expect(originOf(asked('/', evil))).toBe('http://10.0.0.1:80');
    expect(originOf(asked('/', {}))).toBe('http://10.0.0.1:80');
  });

  it('believes a proxy only when told to', () => {
    expect(originBy({})(asked('/', { ...evil, host: 'h' }))).toBe('http://h');
    expect(originBy({ trustForwarded: true })(asked('/', evil))).toBe('https://cloud.example/compute');
    expect(originBy({ trustForwarded: true })(asked('/', { host: 'h', 'x-forwarded-host': 'a b' }))).toBe('http://h');
    expect(originBy({ publicUrl: 'https://c.example/x/' })(asked('/', evil))).toBe('https://c.example/x');
  });
});

describe('parseSort', () => {
  const rules: SortRules<'created_at' | 'name'> = {
    allowed: ['created_at', 'name'],
    ignored: ['tags'],
    defaults: [{ key: 'created_at', dir: 'desc' }],
  };
  const sort = (query: string): string =>
    parseSort(parseQuery(query), rules)
      .map(({ key, dir }) => `${key} ${dir}`)
      .join(', ');
  it.each([
    ['', 'created_at desc'],
    ['sort_dir=asc', 'created_at asc'],
    ['sort_key=name', 'name desc'],
    ['sort_key=name&sort_key=created_at&sort_dir=asc', 'name asc, created_at asc'],
    ['sort_key=name&sort_key=created_at&sort_dir=asc&sort_dir=desc', 'name asc, created_at desc'],
    ['sort_key=tags&sort_key=name', 'name desc'],
  ])('%j', (query, expected) => expect(sort(query)).toBe(expected));
  it.each(['sort_key=secret', 'sort_dir=up', 'sort_key=name&sort_dir=asc&sort_dir=asc'])('%s is refused', (query) =>
    expect(() => sort(query)).toThrow(expect.objectContaining({ kind: 'invalid' })),
  );
});

describe('times', () => {
  const ms = Date.UTC(2026, 10, 30, 18, 14, 19, 123);
  it('are printed in the two ways of the APIs', () => {
    expect([isoTime(ms), isoTime(null), isoTimeMicros(ms), isoTimeMicros(undefined)]).toEqual([
      '2026-11-30T18:14:19Z',
      null,
      '2026-11-30T18:14:19.123000',
      null,
    ]);
  });

  it.each([
    '2026-11-30T18:14:19.123Z',
    '2026-11-30T18:14:19.123',
    '2026-11-30 18:14:19.123',
    '2026-11-30T19:14:19.123+01:00',
    '2026-11-30T19:14:19.123+0100',
    '2026-11-30T19:14:19.123+01',
  ])('are read from %s', (text) => expect(parseTime(text)).toBe(ms));
  it('may be a day alone', () => {
    expect(parseTime('2026-11-30')).toBe(Date.UTC(2026, 10, 30));
    expect(parseTime('yesterday')).toBeNaN();
  });
});
