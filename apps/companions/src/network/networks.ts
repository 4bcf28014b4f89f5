import type { Database, Tx } from '@fractus/database';
import { compileDto } from '@fractus/dto-schema';
import type { FractusError, RequestContext } from '@fractus/objects';
import { wireOfRow, type Condition, type Wire } from '../resource-table/resource-table';
import { insertRow, isAdmin, marks, ownerOf, updateRow, type Kind } from './kind';
import { clash, denied, networkNotFound } from './network-errors';
import { NewNetwork } from './network.dto';
import type { NetworkRow } from './network.rows';
import { NETWORKS } from './network.tables';

const ADMIN_ONLY = [
  'shared',
  'router:external',
  'is_default',
  'provider:network_type',
  'provider:physical_network',
  'provider:segmentation_id',
] as const;

/** Ports that the service made for itself: they go with their network. */
export const OWN_PORTS = ['network:dhcp', 'network:distributed'];

export class Networks implements Kind<NetworkRow> {
  readonly path = 'networks';
  readonly table = NETWORKS;
  readonly missing = (id: string): FractusError => networkNotFound(id);

  constructor(private readonly db: Database) {}

  visibleTo(ctx: RequestContext): Condition {
    return { sql: '(t.project_id = ? OR t.shared = 1 OR t.external = 1)', params: [ctx.projectId ?? ''] };
  }

  filters(): Condition[] {
    return [];
  }

  async complete(rows: readonly NetworkRow[], ctx: RequestContext): Promise<Wire[]> {
    const ids = rows.map((r) => r.id);
    const sql = `SELECT id, network_id, ip_version FROM subnets WHERE network_id IN ${marks(ids)} ORDER BY ip_version, created_at, id`;
    const subnets = await this.db.query<{ id: string; network_id: string }>(sql, ids);
    return rows.map((row) => {
      const wire = wireOfRow(NETWORKS, { ...row });
      if (!isAdmin(ctx)) for (const name of ADMIN_ONLY) if (name.startsWith('provider:')) delete wire[name];
      return {
        ...wire,
        subnets: subnets.filter((s) => s.network_id === row.id).map((s) => s.id),
        availability_zones: ['nova'],
        ipv4_address_scope: null,
        ipv6_address_scope: null,
        qos_policy_id: null,
        vlan_transparent: null,
        l2_adjacency: true,
      };
    });
  }

  async create(tx: Tx, ctx: RequestContext, body: unknown): Promise<string> {
    const given = compileDto(NewNetwork).parse(body);
    this.refuseAdminOnly(ctx, given, 'create_network');
    const defaults = {
      name: '',
      admin_state_up: true,
      shared: false,
      'router:external': false,
      mtu: 1450,
      status: 'ACTIVE',
      port_security_enabled: true,
      'provider:network_type': 'vxlan',
      availability_zone_hints: [],
      dns_domain: '',
      is_default: false,
    };
    const networkType = given['provider:network_type'] ?? defaults['provider:network_type'];
    const segment =
      given['provider:segmentation_id'] ?? (networkType === 'flat' ? null : 1 + Math.floor(Math.random() * 65_000));
    return insertRow(tx, NETWORKS, ownerOf(ctx, given), {
      ...defaults,
      ...given,
      'provider:network_type': networkType,
      'provider:segmentation_id': segment,
    });
  }

  async update(tx: Tx, ctx: RequestContext, row: NetworkRow, body: unknown): Promise<void> {
    const given = compileDto(NewNetwork).parse(body);
    this.refuseAdminOnly(ctx, given, 'update_network');
    await updateRow(tx, NETWORKS, row.id, { ...given });
  }

  async remove(tx: Tx, _ctx: RequestContext, row: NetworkRow): Promise<void> {
    const own = marks(OWN_PORTS);
    const used = await tx.query(
      'SELECT id FROM ports WHERE network_id = ? AND device_owner NOT IN ' + own + ' LIMIT 1',
      [row.id, ...OWN_PORTS],
    );
    if (used.length > 0) {
      throw clash(
        'NetworkInUse',
        `Unable to complete operation on network ${row.id}. There are one or more ports still in use on the network.`,
      );
    }
    for (const table of ['ip_allocations', 'ports', 'subnets'])
      await tx.execute(`DELETE FROM ${table} WHERE network_id = ?`, [row.id]);
    await tx.execute('DELETE FROM networks WHERE id = ?', [row.id]);
  }

  private refuseAdminOnly(ctx: RequestContext, given: NewNetwork, rule: string): void {
    if (isAdmin(ctx)) return;
    const name = ADMIN_ONLY.find((n) => given[n] !== undefined && given[n] !== false && given[n] !== null);
    if (name) throw denied(`rule:${rule}:${name}`);
  }
}

/** A network that `ctx` may attach to. @throws not_found */
export async function usableNetwork(tx: Tx, ctx: RequestContext, id: string): Promise<NetworkRow> {
  const [row] = await tx.query<NetworkRow>('SELECT * FROM networks WHERE id = ?', [id]);
  const usable =
    row && (isAdmin(ctx) || row.project_id === ctx.projectId || Number(row.shared) === 1 || Number(row.external) === 1);
  if (!usable) throw networkNotFound(id);
  return row;
}
