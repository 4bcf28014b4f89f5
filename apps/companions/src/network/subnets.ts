import { placeholders, type Tx } from '@fractus/database';
import { compileDto } from '@fractus/dto-schema';
import type { FractusError, RequestContext } from '@fractus/objects';
import { wireOfRow, type Condition, type Wire } from '../resource-table/resource-table';
import {
  addressOf,
  cidrOf,
  cidrText,
  contains,
  defaultPools,
  hostsOf,
  overlap,
  rangeOf,
  textOf,
  type Cidr,
  type Pool,
} from './ipam';
import { insertRow, isAdmin, ownerOf, updateRow, type Kind } from './kind';
import { badNetwork, clash, denied, subnetNotFound } from './network-errors';
import { NewSubnet, SubnetChange, type PoolRange } from './network.dto';
import type { NetworkRow, SubnetRow } from './network.rows';
import { SUBNETS } from './network.tables';
import { OWN_PORTS, usableNetwork } from './networks';

export class Subnets implements Kind<SubnetRow> {
  readonly path = 'subnets';
  readonly table = SUBNETS;
  readonly missing = (id: string): FractusError => subnetNotFound(id);

  visibleTo(ctx: RequestContext): Condition {
    const networks = 'SELECT n.id FROM networks n WHERE n.shared = 1 OR n.external = 1 OR n.project_id = ?';
    return {
      sql: `(t.project_id = ? OR t.network_id IN (${networks}))`,
      params: [ctx.projectId ?? '', ctx.projectId ?? ''],
    };
  }

  filters(): Condition[] {
    return [];
  }

  async complete(rows: readonly SubnetRow[]): Promise<Wire[]> {
    return rows.map((row) => ({
      ...wireOfRow(SUBNETS, { ...row }),
      subnetpool_id: null,
      segment_id: null,
      'router:external': false,
    }));
  }

  async create(tx: Tx, ctx: RequestContext, body: unknown): Promise<string> {
    const given = compileDto(NewSubnet).parse(body);
    if (given.subnetpool_id || given.use_default_subnetpool)
      throw badNetwork('There are no subnet pools here: a cidr is needed.');
    const network = await usableNetwork(tx, ctx, given.network_id);
    if (!isAdmin(ctx) && network.project_id !== ctx.projectId) throw denied('rule:create_subnet');
    const cidr = readCidr(given);
    await this.refuseOverlap(tx, network, cidr);
    const gateway = readGateway(given.gateway_ip, cidr);
    checkLists(given, cidr);
    const pools = given.allocation_pools
      ? readPools(given.allocation_pools, cidr, gateway)
      : defaultPools(cidr, gateway);
    if (cidr.version === 4 && (given.ipv6_address_mode || given.ipv6_ra_mode))
      throw badNetwork('ipv6_address_mode and ipv6_ra_mode are for IPv6 subnets.');
    const defaults = { name: '', enable_dhcp: true, dns_nameservers: [], host_routes: [], service_types: [] };
    return insertRow(
      tx,
      SUBNETS,
      ownerOf(ctx, { project_id: given.project_id ?? given.tenant_id ?? network.project_id }),
      {
        ...defaults,
        ...given,
        ip_version: cidr.version,
        cidr: cidrText(cidr),
        allocation_pools: wireOfPools(pools, cidr),
      },
      { gateway_ip: gateway === null ? null : textOf(gateway, cidr.version), ipam_cursor: '0' },
    );
  }

  async update(tx: Tx, _ctx: RequestContext, row: SubnetRow, body: unknown): Promise<void> {
    const given = compileDto(SubnetChange).parse(body);
    const cidr = cidrOf(row.cidr) as Cidr;
    checkLists(given, cidr);
    const gateway =
      given.gateway_ip === undefined
        ? row.gateway_ip === null
          ? null
          : valueOf(row.gateway_ip)
        : readGateway(given.gateway_ip, cidr);
    const current = JSON.parse(row.allocation_pools) as PoolRange[];
    const pools = readPools(given.allocation_pools ?? current, cidr, gateway);
    await updateRow(
      tx,
      SUBNETS,
      row.id,
      { ...given, allocation_pools: wireOfPools(pools, cidr) },
      { gateway_ip: gateway === null ? null : textOf(gateway, cidr.version) },
    );
  }

  async remove(tx: Tx, _ctx: RequestContext, row: SubnetRow): Promise<void> {
    const sql = `SELECT p.id FROM ip_allocations a JOIN ports p ON p.id = a.port_id WHERE a.subnet_id = ?
      AND p.device_owner NOT IN (${placeholders(OWN_PORTS)}) LIMIT 1`;
    const used = await tx.query(sql, [row.id, ...OWN_PORTS]);
    if (used.length > 0) {
      throw clash(
        'SubnetInUse',
        `Unable to complete operation on subnet ${row.id}: One or more ports have an IP allocation from this subnet.`,
      );
    }
    await tx.execute('DELETE FROM ip_allocations WHERE subnet_id = ?', [row.id]);
    await tx.execute('DELETE FROM subnets WHERE id = ?', [row.id]);
  }

  private async refuseOverlap(tx: Tx, network: NetworkRow, cidr: Cidr): Promise<void> {
    const others = await tx.query<SubnetRow>('SELECT * FROM subnets WHERE network_id = ?', [network.id]);
    const clashing = others.find((o) => {
      const other = cidrOf(o.cidr);
      return other?.version === cidr.version && overlap(rangeOf(other), rangeOf(cidr));
    });
    if (clashing) {
      throw badNetwork(
        `Requested subnet with cidr: ${cidrText(cidr)} for network: ${network.id} overlaps with another subnet (${clashing.cidr}).`,
      );
    }
  }
}

const valueOf = (text: string): bigint => addressOf(text)?.value ?? 0n;

function readCidr(given: NewSubnet): Cidr {
  const cidr = given.cidr ? cidrOf(given.cidr) : undefined;
  if (!given.cidr) throw badNetwork('A cidr must be specified for the subnet.', 'BadRequest');
  if (!cidr) throw badNetwork(`Invalid input for cidr. '${given.cidr}' is not a valid IP subnet.`);
  if (given.ip_version !== undefined && Number(given.ip_version) !== cidr.version) {
    throw badNetwork(`ip_version ${given.ip_version} does not match the cidr ${given.cidr}.`);
  }
  if (cidr.prefix === 0) throw badNetwork(`The cidr ${given.cidr} is too large: a prefix of 0 is not allowed.`);
  return cidr;
}

/** The first host address where none is given; null for no gateway. */
function readGateway(text: string | null | undefined, cidr: Cidr): bigint | null {
  if (text === null) return null;
  if (text === undefined) return hostsOf(cidr).start;
  const address = addressOf(text);
  if (!address || address.version !== cidr.version)
    throw badNetwork(`gateway_ip '${text}' is not an IPv${cidr.version} address.`);
  const host = hostsOf(cidr);
  if (contains(rangeOf(cidr), address.value) && cidr.version === 4 && !contains(host, address.value)) {
    throw badNetwork(`gateway_ip ${text} is not a host address of ${cidrText(cidr)}.`, 'GatewayIpInvalid');
  }
  return address.value;
}

function readPools(given: readonly PoolRange[], cidr: Cidr, gateway: bigint | null): Pool[] {
  const pools = given.map(({ start, end }) => {
    const [a, b] = [addressOf(start), addressOf(end)];
    const good = a && b && a.version === cidr.version && b.version === cidr.version && a.value <= b.value;
    if (!good) throw badNetwork(`The allocation pool ${start}-${end} is not valid.`, 'InvalidAllocationPool');
    if (!contains(hostsOf(cidr), a.value) || !contains(hostsOf(cidr), b.value)) {
      throw badNetwork(
        `The allocation pool ${start}-${end} spans beyond the subnet cidr ${cidrText(cidr)}.`,
        'OutOfBoundsAllocationPool',
      );
    }
    if (gateway !== null && contains({ start: a.value, end: b.value }, gateway)) {
      const message = `Gateway ip ${textOf(gateway, cidr.version)} conflicts with allocation pool ${start}-${end}.`;
      throw clash('GatewayConflictWithAllocationPools', message);
    }
    return { start: a.value, end: b.value };
  });
  pools.sort((a, b) => (a.start < b.start ? -1 : 1));
  pools.forEach((pool, i) => {
    const next = pools[i + 1];
    if (next && overlap(pool, next))
      throw clash('OverlappingAllocationPools', `Found overlapping allocation pools for subnet ${cidrText(cidr)}.`);
  });
  return pools;
}

const wireOfPools = (pools: readonly Pool[], { version }: Cidr): PoolRange[] =>
  pools.map((p) => ({ start: textOf(p.start, version), end: textOf(p.end, version) }));

function checkLists(given: SubnetChange, cidr: Cidr): void {
  const bad = given.dns_nameservers?.find((ip) => !addressOf(ip));
  if (bad !== undefined) throw badNetwork(`'${bad}' in dns_nameservers is not an IP address.`);
  for (const route of given.host_routes ?? []) {
    if (!cidrOf(route.destination) || addressOf(route.nexthop)?.version !== cidr.version) {
      throw badNetwork(`The host route to '${route.destination}' via '${route.nexthop}' is not valid.`);
    }
  }
}
