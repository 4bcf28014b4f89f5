/**
 * Address arithmetic, pure. Addresses are bigints with their IP version; texts are canonical (`ipaddr.js` parses and
 * prints). A pool is an inclusive range.
 */
import * as ipaddr from 'ipaddr.js';

export type IpVersion = 4 | 6;

export interface Pool {
  readonly start: bigint;
  readonly end: bigint;
}

export interface Cidr {
  readonly version: IpVersion;
  readonly prefix: number;
  /** The network's own address. */
  readonly first: bigint;
  readonly last: bigint;
}

const bits = (version: IpVersion): number => (version === 4 ? 32 : 128);

/** The number of an address, or undefined for what is no address. Zones and short IPv4 forms are refused. */
export function addressOf(text: string): { version: IpVersion; value: bigint } | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text))
    return { version: 4, value: fold(ipaddr.IPv4.parse(text).toByteArray()) };
  if (text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text))
    return { version: 6, value: fold(ipaddr.IPv6.parse(text).toByteArray()) };
  return undefined;
}

export function textOf(value: bigint, version: IpVersion): string {
  const bytes = Array.from({ length: bits(version) / 8 }, (_, i) =>
    Number((value >> BigInt(bits(version) - 8 * (i + 1))) & 0xffn),
  );
  return version === 4 ? bytes.join('.') : ipaddr.fromByteArray(bytes).toString();
}

/** Reads `10.0.0.0/24`; host bits are cut off. */
export function cidrOf(text: string): Cidr | undefined {
  const [, ip = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const address = addressOf(ip);
  if (!address) return undefined;
  const width = bits(address.version);
  const prefix = Number(length);
  if (prefix > width) return undefined;
  const host = (1n << BigInt(width - prefix)) - 1n;
  const first = (address.value >> BigInt(width - prefix)) << BigInt(width - prefix);
  return { version: address.version, prefix, first, last: first | host };
}

export const cidrText = (c: Cidr): string => `${textOf(c.first, c.version)}/${c.prefix}`;

/** First and last address that hosts may have: IPv4 sets its network and broadcast apart, except in /31 and /32. */
export function hostsOf(c: Cidr): Pool {
  const small = c.version === 4 ? c.prefix >= 31 : c.prefix >= 127;
  if (small) return { start: c.first, end: c.last };
  return { start: c.first + 1n, end: c.version === 4 ? c.last - 1n : c.last };
}

export const contains = (pool: Pool, value: bigint): boolean => value >= pool.start && value <= pool.end;
export const rangeOf = (c: Cidr): Pool => ({ start: c.first, end: c.last });
export const overlap = (a: Pool, b: Pool): boolean => a.start <= b.end && b.start <= a.end;

/** All host addresses but the gateway. */
export function defaultPools(c: Cidr, gateway: bigint | null): Pool[] {
  const hosts = hostsOf(c);
  if (gateway === null || !contains(hosts, gateway)) return [hosts];
  const pools = [
    { start: hosts.start, end: gateway - 1n },
    { start: gateway + 1n, end: hosts.end },
  ];
  return pools.filter((p) => p.start <= p.end);
}

export const sizeOf = (pools: readonly Pool[]): bigint => pools.reduce((sum, p) => sum + (p.end - p.start + 1n), 0n);

/**
 * The next `count` addresses after `cursor` in the pools, going round at the end: an address that was given back rests
 * as long as there are others. Never yields one twice.
 */
export function candidates(pools: readonly Pool[], cursor: bigint, skip: bigint, count: number): bigint[] {
  const total = sizeOf(pools);
  if (total === 0n) return [];
  const from = indexAfter(pools, cursor) + skip;
  const found: bigint[] = [];
  for (let i = 0n; i < BigInt(count) && skip + i < total; i++) found.push(at(pools, (from + i) % total));
  return found;
}

function indexAfter(pools: readonly Pool[], cursor: bigint): bigint {
  let passed = 0n;
  for (const pool of pools) {
    if (cursor < pool.start) return passed;
    if (cursor < pool.end) return passed + (cursor - pool.start + 1n);
    passed += pool.end - pool.start + 1n;
  }
  return 0n;
}

function at(pools: readonly Pool[], index: bigint): bigint {
  let left = index;
  for (const pool of pools) {
    const size = pool.end - pool.start + 1n;
    if (left < size) return pool.start + left;
    left -= size;
  }
  throw new RangeError('index beyond the pools');
}

/** The address that a host makes itself from its MAC (RFC 4291, modified EUI-64). */
export function eui64(c: Cidr, mac: string): bigint {
  const bytes = mac.split(':').map((part) => parseInt(part, 16));
  const [a = 0, b = 0, x = 0, y = 0, z = 0, w = 0] = bytes;
  return c.first | fold([a ^ 2, b, x, 0xff, 0xfe, y, z, w]);
}

function fold(bytes: readonly number[]): bigint {
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
