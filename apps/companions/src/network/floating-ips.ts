import { randomUUID } from 'node:crypto';
import type { Database, SqlRow, Tx } from '@fractus/database';
import { compileDto } from '@fractus/dto-schema';
import type { FractusError, RequestContext } from '@fractus/objects';
import { wireOfRow, type Condition, type Wire } from '../resource-table/resource-table';
import { insertRow, isAdmin, ofProject, ownerOf, rowById, updateRow, type Kind } from './kind';
import { badNetwork, clash, missing, networkNotFound, portNotFound } from './network-errors';
import { FloatingIpChange, NewFloatingIp } from './network.dto';
import type { AllocationRow, FloatingIpRow, NetworkRow, PortRow } from './network.rows';
import { FLOATING_IPS, NETWORKS, PORTS } from './network.tables';
import type { Ports } from './ports';
import { asAdmin } from './routers';

/** Device owner of the port that holds a floating address on its external network. */
const HOLDER = 'network:floatingip';

export class FloatingIps implements Kind<FloatingIpRow> {
  readonly path = 'floatingips';
  readonly table = FLOATING_IPS;
  readonly missing = (id: string): FractusError => missing('FloatingIPNotFound', 'Floating IP', id);

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

  async complete(rows: readonly FloatingIpRow[]): Promise<Wire[]> {
    return Promise.all(
      rows.map(async (row) => {
        const port = row.port_id === null ? undefined : await rowById<PortRow>(this.db, PORTS, row.port_id);
        const details = port && {
          name: (port as PortRow & { name: string }).name,
          network_id: port.network_id,
          mac_address: port.mac_address,
          status: port.status,
          device_id: port.device_id,
          device_owner: port.device_owner,
          admin_state_up: true,
        };
        return {
          ...wireOfRow(FLOATING_IPS, { ...row }),
          port_details: details ?? null,
          port_forwardings: [],
          qos_policy_id: null,
        };
      }),
    );
  }

  async create(tx: Tx, ctx: RequestContext, body: unknown): Promise<string> {
    const { port_id, fixed_ip_address, ...given } = compileDto(NewFloatingIp).parse(body);
    const network = await rowById<NetworkRow>(tx, NETWORKS, given.floating_network_id);
    if (!network) throw networkNotFound(given.floating_network_id);
    if (Number(network.external) !== 1)
      throw badNetwork(`Network ${network.id} is not a valid external network.`, 'BadRequest');
    const projectId = ownerOf(ctx, given);
    const wanted = {
      ...(given.floating_ip_address ? { ip_address: given.floating_ip_address } : {}),
      ...(given.subnet_id ? { subnet_id: given.subnet_id } : {}),
    };
    const asked = Object.keys(wanted).length ? { fixed_ips: [wanted] } : {};
    const mark = randomUUID();
    const holder = await this.ports.create(tx, asAdmin(ctx), {
      network_id: network.id,
      project_id: '',
      device_id: mark,
      device_owner: HOLDER,
      ...asked,
    });
    const [address] = await tx.query<AllocationRow>('SELECT * FROM ip_allocations WHERE port_id = ?', [holder]);
    if (!address)
      throw clash('ExternalIpAddressExhausted', `Unable to find any IP address on external network ${network.id}.`);
    const link = port_id ? await this.linkTo(tx, ctx, port_id, fixed_ip_address ?? undefined) : UNLINKED;
    const { subnet_id: _subnet, tags: _tags, ...own } = given;
    const wire = { dns_name: '', dns_domain: '', ...own, floating_ip_address: address.ip_address };
    const id = await insertRow(tx, FLOATING_IPS, projectId, wire, link);
    await updateRow(tx, PORTS, holder, { device_id: id });
    return id;
  }

  async update(tx: Tx, ctx: RequestContext, row: FloatingIpRow, body: unknown): Promise<void> {
    const { port_id, fixed_ip_address, ...given } = compileDto(FloatingIpChange).parse(body);
    if (port_id === undefined) return updateRow(tx, FLOATING_IPS, row.id, { ...given });
    const link =
      port_id === null ? UNLINKED : await this.linkTo(tx, ctx, port_id, fixed_ip_address ?? undefined, row.id);
    await updateRow(tx, FLOATING_IPS, row.id, { ...given }, link);
  }

  async remove(tx: Tx, _ctx: RequestContext, row: FloatingIpRow): Promise<void> {
    const held = await tx.query<PortRow>('SELECT * FROM ports WHERE device_id = ? AND device_owner = ?', [
      row.id,
      HOLDER,
    ]);
    for (const port of held) await this.ports.erase(tx, port.id);
    await tx.execute('DELETE FROM floating_ips WHERE id = ?', [row.id]);
  }

  private async linkTo(
    tx: Tx,
    ctx: RequestContext,
    portId: string,
    fixed: string | undefined,
    self = '',
  ): Promise<SqlRow> {
    const port = await rowById<PortRow>(tx, PORTS, portId);
    if (!port || (!isAdmin(ctx) && port.project_id !== ctx.projectId)) throw portNotFound(portId);
    const addresses = await tx.query<AllocationRow>(
      'SELECT * FROM ip_allocations WHERE port_id = ? ORDER BY ip_address',
      [portId],
    );
    const v4 = addresses.filter((a) => a.ip_address.includes('.'));
    const address = fixed === undefined ? v4[0] : v4.find((a) => a.ip_address === fixed);
    if (!address)
      throw badNetwork(`Port ${portId} has no fixed IPv4 address${fixed ? ` ${fixed}` : ''}.`, 'BadRequest');
    const sql = 'SELECT id FROM floating_ips WHERE port_id = ? AND fixed_ip_address = ? AND id <> ?';
    if ((await tx.query(sql, [portId, address.ip_address, self])).length > 0) {
      throw clash(
        'FloatingIPPortAlreadyAssociated',
        `The fixed IP ${address.ip_address} of port ${portId} already has a floating IP.`,
      );
    }
    const router = `SELECT r.device_id AS id FROM ports r JOIN ip_allocations a ON a.port_id = r.id
      WHERE r.device_owner = 'network:router_interface' AND a.subnet_id = ?`;
    const [found] = await tx.query<{ id: string }>(router, [address.subnet_id]);
    return { port_id: portId, fixed_ip_address: address.ip_address, router_id: found?.id ?? null, status: 'ACTIVE' };
  }
}

const UNLINKED: SqlRow = { port_id: null, fixed_ip_address: null, router_id: null, status: 'DOWN' };
