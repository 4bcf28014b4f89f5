/** Routers in their plain form: interfaces and a gateway are ports with the router as their device. */
import type { Database, Tx } from '@fractus/database';
import { compileDto } from '@fractus/dto-schema';
import type { FractusError, RequestContext } from '@fractus/objects';
import { wireOfRow, type Condition, type Wire } from '../resource-table/resource-table';
import { insertRow, isAdmin, ofProject, ownerOf, rowById, updateRow, type Kind } from './kind';
import { badNetwork, clash, missing, networkNotFound, portNotFound, subnetNotFound } from './network-errors';
import { NewRouter, RouterInterface, type GatewayInfo } from './network.dto';
import type { AllocationRow, NetworkRow, PortRow, RouterRow, SubnetRow } from './network.rows';
import { NETWORKS, PORTS, ROUTERS, SUBNETS } from './network.tables';
import { usableNetwork } from './networks';
import type { Ports } from './ports';

const INTERFACE = 'network:router_interface';
const GATEWAY = 'network:router_gateway';

export class Routers implements Kind<RouterRow> {
  readonly path = 'routers';
  readonly table = ROUTERS;
  readonly missing = (id: string): FractusError => missing('RouterNotFound', 'Router', id);

  constructor(
    private readonly db: Database,
    private readonly ports: Ports,
  ) {}

  visibleTo(ctx: RequestContext): Condition {
    return ofProject(ctx);
  }

  filters(): Condition[] {
    return [];
  }

  async complete(rows: readonly RouterRow[]): Promise<Wire[]> {
    return rows.map((row) => ({
      ...wireOfRow(ROUTERS, { ...row }),
      distributed: false,
      ha: false,
      flavor_id: null,
      availability_zones: ['nova'],
    }));
  }

  async create(tx: Tx, ctx: RequestContext, body: unknown): Promise<string> {
    const { external_gateway_info: gateway, routes, ...given } = compileDto(NewRouter).parse(body);
    const defaults = {
      name: '',
      admin_state_up: true,
      status: 'ACTIVE',
      availability_zone_hints: [],
      external_gateway_info: null,
    };
    const id = await insertRow(tx, ROUTERS, ownerOf(ctx, given), { ...defaults, ...given, routes: routes ?? [] });
    if (isGateway(gateway)) await this.setGateway(tx, ctx, id, gateway);
    return id;
  }

  async update(tx: Tx, ctx: RequestContext, row: RouterRow, body: unknown): Promise<void> {
    const { external_gateway_info: gateway, routes, ...given } = compileDto(NewRouter).parse(body);
    await updateRow(tx, ROUTERS, row.id, { ...given, ...(routes === undefined ? {} : { routes: routes ?? [] }) });
    if (gateway === undefined) return;
    await this.clearGateway(tx, row.id);
    if (isGateway(gateway)) await this.setGateway(tx, ctx, row.id, gateway);
  }

  async remove(tx: Tx, _ctx: RequestContext, row: RouterRow): Promise<void> {
    const used = await tx.query('SELECT id FROM ports WHERE device_id = ? AND device_owner = ? LIMIT 1', [
      row.id,
      INTERFACE,
    ]);
    if (used.length > 0) throw clash('RouterInUse', `Router ${row.id} still has ports.`);
    await this.clearGateway(tx, row.id);
    await tx.execute('DELETE FROM routers WHERE id = ?', [row.id]);
  }

  /** Attaches a subnet (by its gateway address) or a port. */
  async addInterface(ctx: RequestContext, router: RouterRow, body: unknown): Promise<Wire> {
    const given = readInterface(body);
    const [port, subnetId] = await this.db.transaction(async (tx): Promise<[PortRow, string]> => {
      if (given.port_id !== undefined) return this.attachPort(tx, ctx, router, given.port_id);
      return this.attachSubnet(tx, ctx, router, given.subnet_id ?? '');
    });
    return interfaceWire(router, port, subnetId);
  }

  async removeInterface(ctx: RequestContext, router: RouterRow, body: unknown): Promise<Wire> {
    const given = readInterface(body);
    const [port, subnetId] = await this.db.transaction(async (tx): Promise<[PortRow, string]> => {
      const sql = `SELECT a.* FROM ip_allocations a JOIN ports p ON p.id = a.port_id WHERE p.device_id = ? AND p.device_owner = ?`;
      const held = await tx.query<AllocationRow>(sql, [router.id, INTERFACE]);
      const found = held.find(
        (a) =>
          (given.port_id === undefined || a.port_id === given.port_id) &&
          (given.subnet_id === undefined || a.subnet_id === given.subnet_id),
      );
      const port = found && (await rowById<PortRow>(tx, PORTS, found.port_id));
      if (!found || !port) {
        throw missing(
          'RouterInterfaceNotFound',
          `Router ${router.id} has no interface on`,
          given.subnet_id ?? given.port_id ?? '',
        );
      }
      await this.ports.erase(tx, port.id);
      return [port, found.subnet_id];
    });
    return interfaceWire(router, port, subnetId);
  }

  private async attachPort(tx: Tx, ctx: RequestContext, router: RouterRow, portId: string): Promise<[PortRow, string]> {
    const port = await rowById<PortRow>(tx, PORTS, portId);
    if (!port || (!isAdmin(ctx) && port.project_id !== ctx.projectId)) throw portNotFound(portId);
    if (port.device_id)
      throw clash(
        'PortInUse',
        `Unable to complete operation on port ${portId}: it is used by device ${port.device_id}.`,
      );
    const [address] = await tx.query<AllocationRow>('SELECT * FROM ip_allocations WHERE port_id = ?', [portId]);
    if (!address) throw badNetwork(`Router port ${portId} must have at least one fixed IP.`, 'BadRequest');
    await updateRow(tx, PORTS, portId, { device_id: router.id, device_owner: INTERFACE, status: 'ACTIVE' });
    return [port, address.subnet_id];
  }

  private async attachSubnet(
    tx: Tx,
    ctx: RequestContext,
    router: RouterRow,
    subnetId: string,
  ): Promise<[PortRow, string]> {
    const subnet = await rowById<SubnetRow>(tx, SUBNETS, subnetId);
    if (!subnet) throw subnetNotFound(subnetId);
    await usableNetwork(tx, ctx, subnet.network_id);
    if (subnet.gateway_ip === null) throw badNetwork(`Subnet ${subnetId} has no gateway IP.`, 'BadRequest');
    const wire = {
      network_id: subnet.network_id,
      project_id: router.project_id,
      device_id: router.id,
      device_owner: INTERFACE,
      fixed_ips: [{ subnet_id: subnetId, ip_address: subnet.gateway_ip }],
    };
    const id = await this.ports.create(tx, asAdmin(ctx), wire);
    return [(await rowById<PortRow>(tx, PORTS, id)) as PortRow, subnetId];
  }

  private async setGateway(tx: Tx, ctx: RequestContext, routerId: string, gateway: GatewayInfo): Promise<void> {
    const network = await rowById<NetworkRow>(tx, NETWORKS, gateway.network_id);
    if (!network) throw networkNotFound(gateway.network_id);
    if (Number(network.external) !== 1)
      throw badNetwork(`Network ${network.id} is not an external network.`, 'BadRequest');
    const wanted = gateway.external_fixed_ips?.length ? { fixed_ips: gateway.external_fixed_ips } : {};
    const wire = { network_id: network.id, project_id: '', device_id: routerId, device_owner: GATEWAY, ...wanted };
    const portId = await this.ports.create(tx, asAdmin(ctx), wire);
    const addresses = await tx.query<AllocationRow>('SELECT * FROM ip_allocations WHERE port_id = ?', [portId]);
    const info = {
      network_id: network.id,
      enable_snat: gateway.enable_snat ?? true,
      external_fixed_ips: addresses.map(({ subnet_id, ip_address }) => ({ subnet_id, ip_address })),
    };
    await updateRow(tx, ROUTERS, routerId, { external_gateway_info: info });
  }

  private async clearGateway(tx: Tx, routerId: string): Promise<void> {
    const held = await tx.query<PortRow>('SELECT * FROM ports WHERE device_id = ? AND device_owner = ?', [
      routerId,
      GATEWAY,
    ]);
    for (const port of held) await this.ports.erase(tx, port.id);
    await updateRow(tx, ROUTERS, routerId, { external_gateway_info: null });
  }
}

/** The service makes its own ports, whatever the caller may do by hand. */
export const asAdmin = (ctx: RequestContext): RequestContext => ({ ...ctx, roles: [...ctx.roles, 'admin'] });

const isGateway = (g: GatewayInfo | null | undefined): g is GatewayInfo => Boolean(g && Object.keys(g).length > 0);

function readInterface(body: unknown): RouterInterface {
  const given = compileDto(RouterInterface).parse(body);
  if (given.port_id === undefined && given.subnet_id === undefined)
    throw badNetwork('Either subnet_id or port_id must be specified.', 'BadRequest');
  return given;
}

function interfaceWire(router: RouterRow, port: PortRow, subnetId: string): Wire {
  return {
    id: router.id,
    tenant_id: router.project_id,
    project_id: router.project_id,
    port_id: port.id,
    network_id: port.network_id,
    subnet_id: subnetId,
    subnet_ids: [subnetId],
    tags: [],
  };
}
