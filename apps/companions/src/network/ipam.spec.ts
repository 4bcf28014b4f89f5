import * as fc from 'fast-check';
import {
  addressOf,
  candidates,
  cidrOf,
  cidrText,
  contains,
  defaultPools,
  eui64,
  hostsOf,
  sizeOf,
  textOf,
  type IpVersion,
  type Pool,
} from './ipam';

const value = (version: IpVersion) => fc.bigInt(0n, (1n << (version === 4 ? 32n : 128n)) - 1n);
const address = fc.constantFrom<IpVersion>(4, 6).chain((version) => value(version).map((v) => ({ version, value: v })));
/** Disjoint, ascending pools. */
const pools = fc
  .uniqueArray(fc.bigInt(0n, 4000n), { minLength: 2, maxLength: 12 })
  .map((edges) => [...edges].sort((a, b) => (a < b ? -1 : 1)))
  .map((edges): Pool[] =>
    Array.from({ length: Math.floor(edges.length / 2) }, (_, i) => ({ start: edges[2 * i]!, end: edges[2 * i + 1]! })),
  );

describe('address arithmetic', () => {
  it('reads back what it prints', () => {
    fc.assert(fc.property(address, (a) => expect(addressOf(textOf(a.value, a.version))).toEqual(a)));
  });

  it('cuts a cidr to its network, and says so the same way again', () => {
    fc.assert(
      fc.property(address, fc.nat(128), (a, bits) => {
        const prefix = a.version === 4 ? bits % 33 : bits;
        const cidr = cidrOf(`${textOf(a.value, a.version)}/${prefix}`)!;
        expect(contains({ start: cidr.first, end: cidr.last }, a.value)).toBe(true);
        expect(cidr.last - cidr.first + 1n).toBe(1n << BigInt((a.version === 4 ? 32 : 128) - prefix));
        expect(cidrOf(cidrText(cidr))).toEqual(cidr);
      }),
    );
  });

  it.each([
    '',
    'x',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '256.0.0.1',
    '1.2.3.4/24',
    ':::',
    'fe80::1%eth0',
    '0x1.1.1.1',
    '12345',
  ])('refuses %p', (text) => {
    expect(addressOf(text)).toBeUndefined();
  });
  it.each(['10.0.0.0', '10.0.0.0/33', '::/129', '10.0.0.0/-1', '10.0.0.0/8/8', '/8', 'x/8'])(
    'refuses the cidr %p',
    (text) => {
      expect(cidrOf(text)).toBeUndefined();
    },
  );

  it('leaves network, broadcast and gateway out of the pools', () => {
    const of = (text: string, gateway: string | null) => {
      const cidr = cidrOf(text)!;
      const ranges = defaultPools(cidr, gateway === null ? null : addressOf(gateway)!.value);
      return ranges.map((p) => `${textOf(p.start, cidr.version)}-${textOf(p.end, cidr.version)}`);
    };
    expect(of('10.0.0.0/24', '10.0.0.1')).toEqual(['10.0.0.2-10.0.0.254']);
    expect(of('10.0.0.0/24', '10.0.0.9')).toEqual(['10.0.0.1-10.0.0.8', '10.0.0.10-10.0.0.254']);
    expect(of('10.0.0.0/24', null)).toEqual(['10.0.0.1-10.0.0.254']);
    expect(of('10.0.0.0/31', null)).toEqual(['10.0.0.0-10.0.0.1']);
    expect(of('2001:db8::/126', '2001:db8::1')).toEqual(['2001:db8::2-2001:db8::3']);
  });

  it('goes through every address of the pools exactly once, from wherever it begins', () => {
    fc.assert(
      fc.property(pools, fc.bigInt(0n, 5000n), fc.integer({ min: 1, max: 700 }), (ranges, cursor, window) => {
        const seen: bigint[] = [];
        for (let skip = 0n; ; skip += BigInt(window)) {
          const next = candidates(ranges, cursor, skip, window);
          if (next.length === 0) break;
          seen.push(...next);
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(BigInt(seen.length)).toBe(sizeOf(ranges));
        expect(seen.every((v) => ranges.some((p) => contains(p, v)))).toBe(true);
        const later = seen.find((v) => v > cursor);
        if (ranges.some((p) => p.end > cursor)) expect(seen[0]).toBe(later);
      }),
    );
  });

  it('makes the interface id of RFC 4291 from a MAC', () => {
    const cidr = cidrOf('2001:db8:1:2::/64')!;
    expect(textOf(eui64(cidr, '34:56:78:9a:bc:de'), 6)).toBe('2001:db8:1:2:3656:78ff:fe9a:bcde');
    expect(contains(hostsOf(cidr), eui64(cidr, '34:56:78:9a:bc:de'))).toBe(true);
  });
});
