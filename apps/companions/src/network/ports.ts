import { randomBytes } from 'node:crypto';
import { isDuplicateKey, type Database, type SqlRow, type Tx } from '@fractus/database';
import { compileDto } from '@fractus/dto-schema';
import type { Query } from '@fractus/http';
import type { FractusError, RequestContext } from '@fractus/objects';
import { wireOfRow, type Condition, type Wire } from '../resource-table/resource-table';
import { allocateDefaults, allocateWanted, replaceAddresses } from './addresses';
import { insertRow, isAdmin, marks, ownerOf, updateRow, type Kind } from './kind';
import { badNetwork, clash, denied, missing, portNotFound } from './network-errors';
import { NewPort, PortChange } from './network.dto';
import type { AllocationRow, NetworkRow, PortRow } from './network.rows';
import { PORTS } from './network.tables';
import { usableNetwork } from './networks';
import type { SecurityGroups } from './security-groups';

export class Ports implements Kind<PortRow> {
  readonly path = 'ports';
  readonly table = PORTS;
  readonly missing = (id: string): FractusError => portNotFound(id);

  constructor(
    private readonly db: Database,
    private readonly groups: SecurityGroups,
  ) {}

  visibleTo(ctx: RequestContext): Condition {
    const networks = 'SELECT n.id FROM networks n WHERE n.project_id = ?';
    return {
      sql: `(t.project_id = ? OR t.network_id IN (${networks}))`,
      params: [ctx.projectId ?? '', ctx.projectId ?? ''],
    };
  }

  /** `fixed_ips=ip_address=10.0.0.5`, `fixed_ips=subnet_id=…`, `security_groups=…`, `ip_allocation`. */
  filters(query: Query): Condition[] {
    const byAddress = (query['fixed_ips'] ?? []).map((text): Condition => {
      const [, column, value = ''] = /^(ip_address|subnet_id|ip_address_substr)=(.*)$/s.exec(text) ?? [];
      if (column === undefined)
        throw badNetwork(`fixed_ips is filtered by ip_address=, ip_address_substr= or subnet_id=, not '${text}'.`);
      const [test, param] =
        column === 'ip_address_substr'
          ? ["a.ip_address LIKE ? ESCAPE '!'", `%${value.replace(/[!%_]/g, '!$&')}%`]
          : [`a.${column} = ?`, value];
      return {
        sql: `EXISTS (SELECT 1 FROM ip_allocations a WHERE a.port_id = t.id AND ${test})`,
        params: [param as string],
      };
    });
    const groups = query['security_groups'];
    if (!groups) return byAddress;
    const sql = `EXISTS (SELECT 1 FROM port_security_groups g WHERE g.port_id = t.id AND g.group_id IN ${marks(groups)})`;
    return [...byAddress, { sql, params: groups }];
  }

  async complete(rows: readonly PortRow[], ctx: RequestContext): Promise<Wire[]> {
    const ids = rows.map((r) => r.id);
    const [addresses, groups] = await Promise.all([
      this.db.query<AllocationRow>(
        `SELECT * FROM ip_allocations WHERE port_id IN ${marks(ids)} ORDER BY subnet_id, ip_address`,
        ids,
      ),
      this.db.query<{ port_id: string; group_id: string }>(
        `SELECT * FROM port_security_groups WHERE port_id IN ${marks(ids)}`,
        ids,
      ),
    ]);
    return rows.map((row) => {
      const wire = wireOfRow(PORTS, { ...row });
      const bound = row.binding_host_id !== '';
      const binding = isAdmin(ctx)
        ? {
            'binding:vif_type': bound ? vifType(String(wire['binding:vnic_type'])) : 'unbound',
            'binding:vif_details': bound ? VIF_DETAILS : {},
          }
        : {};
      if (!isAdmin(ctx)) for (const name of ['binding:host_id', 'binding:profile']) delete wire[name];
      return {
        ...wire,
        ...binding,
        fixed_ips: addresses
          .filter((a) => a.port_id === row.id)
          .map(({ subnet_id, ip_address }) => ({ subnet_id, ip_address })),
        security_groups: groups.filter((g) => g.port_id === row.id).map((g) => g.group_id),
        qos_policy_id: null,
        qos_network_policy_id: null,
        resource_request: null,
        ip_allocation: 'immediate',
        propagate_uplink_status: true,
      };
    });
  }

  async create(tx: Tx, ctx: RequestContext, body: unknown): Promise<string> {
    const given = compileDto(NewPort).parse(body);
    const network = await usableNetwork(tx, ctx, given.network_id);
    this.refuseForeign(ctx, network, given);
    const projectId = ownerOf(ctx, given);
    const mac = given.mac_address?.toLowerCase() ?? (await freeMac(tx, network.id));
    const { fixed_ips, security_groups, ...own } = given;
    const secured = own.port_security_enabled ?? Number(network.port_security_enabled) === 1;
    const wire = { ...BLANK, ...own, ...nullsAway(own), mac_address: mac, port_security_enabled: secured };
    const id = await insertRow(tx, PORTS, projectId, wire, { status: statusOf(wire) }).catch((e: unknown) => {
      throw isDuplicateKey(e) ? macInUse(mac, network.id) : e;
    });
    const port = { portId: id, networkId: network.id, mac };
    if (fixed_ips) await allocateWanted(tx, port, fixed_ips);
    else await allocateDefaults(tx, port);
    const groups = await this.groupsFor(tx, projectId, secured, wire.device_owner ?? '', security_groups);
    await this.setGroups(tx, ctx, id, groups, true);
    return id;
  }

  async update(tx: Tx, ctx: RequestContext, row: PortRow, body: unknown): Promise<void> {
    const given = compileDto(PortChange).parse(body);
    const [network] = await tx.query<NetworkRow>('SELECT * FROM networks WHERE id = ?', [row.network_id]);
    if (network) this.refuseForeign(ctx, network, given);
    const { fixed_ips, security_groups, ...own } = given;
    const change = {
      ...own,
      ...nullsAway(own),
      ...(own.mac_address ? { mac_address: own.mac_address.toLowerCase() } : {}),
    };
    const columns: SqlRow = { status: statusOf({ ...wireOfRow(PORTS, { ...row }), ...change }) };
    await updateRow(tx, PORTS, row.id, change, columns).catch((e: unknown) => {
      throw isDuplicateKey(e) ? macInUse(change.mac_address ?? '', row.network_id) : e;
    });
    const port = { portId: row.id, networkId: row.network_id, mac: change.mac_address ?? row.mac_address };
    if (fixed_ips !== undefined) await replaceAddresses(tx, port, fixed_ips ?? []);
    const secured = given.port_security_enabled ?? Number(row.port_security_enabled) === 1;
    if (security_groups !== undefined) {
      if (!secured && security_groups?.length) throw unsecured();
      await this.setGroups(tx, ctx, row.id, security_groups ?? []);
    } else if (!secured && given.port_security_enabled === false) {
      const held = await tx.query('SELECT group_id FROM port_security_groups WHERE port_id = ?', [row.id]);
      if (held.length > 0) throw unsecured();
    }
  }

  async remove(tx: Tx, _ctx: RequestContext, row: PortRow): Promise<void> {
    if (row.device_owner === 'network:router_interface' || row.device_owner === 'network:router_gateway') {
      throw clash(
        'ServicePortInUse',
        `Port ${row.id} cannot be deleted directly via the port API: has device owner ${row.device_owner}.`,
      );
    }
    await this.erase(tx, row.id);
  }

  /** Removes a port and what hangs on it, whoever owns it. */
  async erase(tx: Tx, id: string): Promise<void> {
    const unlink =
      "UPDATE floating_ips SET port_id = NULL, fixed_ip_address = NULL, router_id = NULL, status = 'DOWN' WHERE port_id = ?";
    await tx.execute(unlink, [id]);
    await tx.execute('DELETE FROM ip_allocations WHERE port_id = ?', [id]);
    await tx.execute('DELETE FROM port_security_groups WHERE port_id = ?', [id]);
    await tx.execute('DELETE FROM network_tags WHERE resource_id = ?', [id]);
    await tx.execute('DELETE FROM ports WHERE id = ?', [id]);
  }

  private refuseForeign(ctx: RequestContext, network: NetworkRow, given: PortChange): void {
    if (isAdmin(ctx)) return;
    if (given['binding:host_id'] || (given['binding:profile'] && Object.keys(given['binding:profile']).length > 0)) {
      throw denied('rule:create_port:binding:host_id');
    }
    if (network.project_id === ctx.projectId) return;
    if (given.device_owner?.startsWith('network:')) throw denied('rule:create_port:device_owner');
    if (given.mac_address !== undefined) throw denied('rule:create_port:mac_address');
    if (given.port_security_enabled !== undefined) throw denied('rule:create_port:port_security_enabled');
  }

  /** The project's default group, unless the port is the service's own or without security. */
  private async groupsFor(
    tx: Tx,
    projectId: string,
    secured: boolean,
    deviceOwner: string,
    asked: string[] | null | undefined,
  ): Promise<string[]> {
    if (!secured) {
      if (asked?.length) throw unsecured();
      return [];
    }
    if (asked) return asked;
    return deviceOwner.startsWith('network:') ? [] : [await this.groups.ensureDefault(tx, projectId)];
  }

  private async setGroups(
    tx: Tx,
    ctx: RequestContext,
    portId: string,
    groupIds: readonly string[],
    fresh = false,
  ): Promise<void> {
    const ids = [...new Set(groupIds)];
    const sql = `SELECT id, project_id FROM security_groups WHERE id IN ${marks(ids)}`;
    const known = ids.length ? await tx.query<{ id: string; project_id: string }>(sql, ids) : [];
    const unknown = ids.find(
      (id) => !known.some((k) => k.id === id && (isAdmin(ctx) || k.project_id === ctx.projectId)),
    );
    if (unknown !== undefined) throw missing('SecurityGroupNotFound', 'Security group', unknown);
    if (!fresh) await tx.execute('DELETE FROM port_security_groups WHERE port_id = ?', [portId]);
    if (ids.length)
      await tx.insert(
        'port_security_groups',
        ids.map((group_id) => ({ port_id: portId, group_id })),
      );
  }
}

const BLANK = {
  name: '',
  admin_state_up: true,
  device_id: '',
  device_owner: '',
  'binding:host_id': '',
  'binding:vnic_type': 'normal',
  'binding:profile': {},
  allowed_address_pairs: [] as unknown[],
  extra_dhcp_opts: [] as unknown[],
  dns_name: '',
};

/** Null means "back to blank" for these. */
function nullsAway(given: PortChange): Record<string, never> {
  const names = [
    'device_id',
    'device_owner',
    'binding:host_id',
    'binding:profile',
    'allowed_address_pairs',
    'extra_dhcp_opts',
  ] as const;
  return Object.fromEntries(names.filter((n) => given[n] === null).map((n) => [n, BLANK[n]])) as Record<string, never>;
}

/** A port carries traffic as soon as a host has it: there is no agent here that would wire it first. */
function statusOf(port: Wire): string {
  const owner = String(port['device_owner'] ?? '');
  const wired = Boolean(port['binding:host_id']) || owner.startsWith('network:');
  return port['admin_state_up'] !== false && wired ? 'ACTIVE' : 'DOWN';
}

const VIF_DETAILS = { port_filter: true, connectivity: 'l2', bridge_name: 'br-int', datapath_type: 'system' };

function vifType(vnic: string): string {
  if (vnic === 'baremetal') return 'other';
  return vnic === 'normal' || vnic === 'virtio-forwarder' ? 'ovs' : 'hw_veb';
}

async function freeMac(tx: Tx, networkId: string): Promise<string> {
  for (let i = 0; i < 64; i++) {
    const mac = ['fa', '16', '3e', ...(randomBytes(3).toString('hex').match(/../g) ?? [])].join(':');
    const taken = await tx.query('SELECT id FROM ports WHERE network_id = ? AND mac_address = ?', [networkId, mac]);
    if (taken.length === 0) return mac;
  }
  throw clash('MacAddressGenerationFailure', `Unable to generate unique mac on network ${networkId}.`);
}

const macInUse = (mac: string, networkId: string): FractusError =>
  clash('MacAddressInUse', `Unable to complete operation for network ${networkId}. The mac address ${mac} is in use.`);
const unsecured = (): FractusError =>
  badNetwork(
    'Port security must be enabled in order to use security groups on a port.',
    'PortSecurityAndIPRequiredForSecurityGroups',
  );
