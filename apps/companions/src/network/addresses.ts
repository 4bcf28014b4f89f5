/**
 * Giving addresses to ports. All of it happens inside the transaction that writes the port; the primary key of the
 * allocations is the last word, and on MySQL the subnet's row is locked first so that two do not reach for the same.
 */
import { placeholders, isDuplicateKey, type Tx } from '@fractus/database';
import {
  addressOf,
  candidates,
  cidrOf,
  contains,
  eui64,
  hostsOf,
  textOf,
  type Cidr,
  type IpVersion,
  type Pool,
} from './ipam';
import { addressTaken, badNetwork, exhausted, subnetNotFound } from './network-errors';
import type { PoolRange, WantedIp } from './network.dto';
import type { AllocationRow, SubnetRow } from './network.rows';

const WINDOW = 32;
const WIDE_WINDOW = 512;

export interface PortAddressing {
  readonly portId: string;
  readonly networkId: string;
  readonly mac: string;
}

/** What the service chooses by itself: one IPv4, one IPv6, and every address that the host will make on its own. */
export async function allocateDefaults(tx: Tx, port: PortAddressing): Promise<void> {
  const subnets = await subnetsOf(tx, port.networkId);
  const auto = subnets.filter(isAuto);
  for (const subnet of auto) await take(tx, port, subnet, textOf(eui64(cidr(subnet), port.mac), 6));
  for (const version of [4, 6]) {
    const fitting = subnets.filter((s) => Number(s.ip_version) === version && !auto.includes(s));
    if (fitting.length > 0) await fromOneOf(tx, port, fitting);
  }
}

/** The addresses that were asked for, each by subnet, by address, or both. */
export async function allocateWanted(tx: Tx, port: PortAddressing, wanted: readonly WantedIp[]): Promise<void> {
  const subnets = await subnetsOf(tx, port.networkId);
  // named addresses first, so that a free choice cannot take one of them
  for (const one of [...wanted].sort(
    (a, b) => Number(b.ip_address !== undefined) - Number(a.ip_address !== undefined),
  )) {
    await allocateOne(tx, port, subnets, one);
  }
}

/** Makes the port's addresses what `wanted` says, keeping those that fit. */
export async function replaceAddresses(tx: Tx, port: PortAddressing, wanted: readonly WantedIp[]): Promise<void> {
  const held = await tx.query<AllocationRow>('SELECT * FROM ip_allocations WHERE port_id = ?', [port.portId]);
  const kept = new Set<AllocationRow>();
  const fresh = wanted.filter((w) => {
    const ip = w.ip_address === undefined ? undefined : canonical(w.ip_address);
    const fits = (a: AllocationRow): boolean =>
      !kept.has(a) &&
      (ip === undefined || a.ip_address === ip) &&
      (w.subnet_id === undefined || a.subnet_id === w.subnet_id);
    const same = w.ip_address === undefined && w.subnet_id === undefined ? undefined : held.find(fits);
    if (same) kept.add(same);
    return !same;
  });
  for (const a of held) {
    if (!kept.has(a))
      await tx.execute('DELETE FROM ip_allocations WHERE subnet_id = ? AND ip_address = ?', [
        a.subnet_id,
        a.ip_address,
      ]);
  }
  await allocateWanted(tx, port, fresh);
}

async function allocateOne(
  tx: Tx,
  port: PortAddressing,
  subnets: readonly SubnetRow[],
  wanted: WantedIp,
): Promise<void> {
  const named = wanted.subnet_id === undefined ? undefined : subnets.find((s) => s.id === wanted.subnet_id);
  if (wanted.subnet_id !== undefined && !named) await refuseSubnet(tx, port, wanted.subnet_id);
  if (wanted.ip_address === undefined) {
    if (named && isAuto(named)) return take(tx, port, named, textOf(eui64(cidr(named), port.mac), 6));
    return fromOneOf(tx, port, named ? [named] : subnets.filter((s) => !isAuto(s)));
  }
  const address = addressOf(wanted.ip_address);
  const holds = (s: SubnetRow): boolean =>
    address?.version === cidr(s).version && contains(hostsOf(cidr(s)), address.value);
  const home = named ? (holds(named) ? named : undefined) : subnets.find(holds);
  if (!address || !home) {
    const where = named ? `the subnet ${named.id}` : 'any of the subnets on the specified network';
    throw badNetwork(
      `IP address ${wanted.ip_address} is not a valid IP for ${where}.`,
      named ? 'InvalidIpForSubnet' : 'InvalidIpForNetwork',
    );
  }
  await take(tx, port, home, textOf(address.value, address.version));
}

async function refuseSubnet(tx: Tx, port: PortAddressing, subnetId: string): Promise<never> {
  const [known] = await tx.query('SELECT id FROM subnets WHERE id = ?', [subnetId]);
  if (!known) throw subnetNotFound(subnetId);
  throw badNetwork(
    `Failed to create port on network ${port.networkId}, because fixed_ips included invalid subnet ${subnetId}.`,
  );
}

async function fromOneOf(tx: Tx, port: PortAddressing, subnets: readonly SubnetRow[]): Promise<void> {
  for (const subnet of subnets) {
    const free = await nextFree(tx, subnet);
    if (free === undefined) continue;
    await put(tx, port, subnet, free);
    await tx.execute('UPDATE subnets SET ipam_cursor = ? WHERE id = ?', [
      String(addressOf(free)?.value ?? 0n),
      subnet.id,
    ]);
    return;
  }
  throw exhausted(port.networkId);
}

async function take(tx: Tx, port: PortAddressing, subnet: SubnetRow, ip: string): Promise<void> {
  const taken = await tx.query('SELECT port_id FROM ip_allocations WHERE subnet_id = ? AND ip_address = ?', [
    subnet.id,
    ip,
  ]);
  if (taken.length > 0) throw addressTaken(ip, subnet.id);
  await put(tx, port, subnet, ip);
}

async function put(tx: Tx, port: PortAddressing, subnet: SubnetRow, ip: string): Promise<void> {
  const row = { subnet_id: subnet.id, ip_address: ip, port_id: port.portId, network_id: port.networkId };
  await tx.insert('ip_allocations', row).catch((e: unknown) => {
    throw isDuplicateKey(e) ? addressTaken(ip, subnet.id) : e;
  });
}

/** Looks on from the last address given, window by window, until the pools are through. */
async function nextFree(tx: Tx, subnet: SubnetRow): Promise<string | undefined> {
  const lock = tx.dialect === 'mysql' ? ' FOR UPDATE' : '';
  // SQLite has one writer: the row that was just read cannot have changed
  const [now] = lock ? await tx.query<SubnetRow>(`SELECT * FROM subnets WHERE id = ?${lock}`, [subnet.id]) : [subnet];
  if (!now) return undefined;
  const version = Number(now.ip_version) as IpVersion;
  const pools = poolsOf(now);
  const cursor = BigInt(now.ipam_cursor);
  for (let skip = 0n, width = WINDOW; ; skip += BigInt(width), width = WIDE_WINDOW) {
    const window = candidates(pools, cursor, skip, width).map((value) => textOf(value, version));
    if (window.length === 0) return undefined;
    const sql = `SELECT ip_address FROM ip_allocations WHERE subnet_id = ? AND ip_address IN (${placeholders(window)})${lock}`;
    const taken = new Set((await tx.query<AllocationRow>(sql, [subnet.id, ...window])).map((a) => a.ip_address));
    const free = window.find((ip) => !taken.has(ip));
    if (free !== undefined) return free;
  }
}

async function subnetsOf(tx: Tx, networkId: string): Promise<SubnetRow[]> {
  return tx.query<SubnetRow>('SELECT * FROM subnets WHERE network_id = ? ORDER BY created_at, id', [networkId]);
}

const cidr = (s: SubnetRow): Cidr => cidrOf(s.cidr) as Cidr;
const isAuto = (s: SubnetRow): boolean => s.ipv6_address_mode === 'slaac' || s.ipv6_address_mode === 'dhcpv6-stateless';

function canonical(text: string): string {
  const address = addressOf(text);
  return address ? textOf(address.value, address.version) : text;
}

function poolsOf(s: SubnetRow): Pool[] {
  const ranges = JSON.parse(s.allocation_pools) as PoolRange[];
  return ranges.map((r) => ({ start: addressOf(r.start)?.value ?? 0n, end: addressOf(r.end)?.value ?? 0n }));
}
