/** Neutron v2. Calls are the service user's unless a `token` is given; then reads are cut to what `ctx` may see. */
import { notFound, type RequestContext } from '@fractus/objects';
import type { ActingOptions } from './image-client';
import {
  floatingIpOfWire,
  networkOfWire,
  portOfWire,
  securityGroupOfWire,
  subnetOfWire,
  wireOfPort,
  type FloatingIp,
  type Network,
  type NewPort,
  type Port,
  type PortChange,
  type PortQuery,
  type SecurityGroup,
  type Subnet,
} from './network-types';
import { segment, type QueryValue } from './rest';
import type { ServiceCall, ServiceSession } from './service-session';

type Dict = Record<string, unknown>;

export interface NetworkClientOptions {
  session: ServiceSession;
  timeoutMs?: number;
  /** Items asked for at a time when a list is read to its end. Default 1000. */
  pageSize?: number;
}

export interface NetworkQuery {
  ids?: readonly string[];
  name?: string;
  projectId?: string;
  shared?: boolean;
  external?: boolean;
}

export class NetworkClient {
  constructor(private readonly options: NetworkClientOptions) {}

  /** Every network that fits and that `ctx` may use: its project's, and the shared ones. */
  async listNetworks(ctx: RequestContext, query: NetworkQuery = {}, as: ActingOptions = {}): Promise<Network[]> {
    if (query.ids?.length === 0) return [];
    const params = {
      id: query.ids,
      name: query.name,
      project_id: query.projectId,
      shared: query.shared,
      'router:external': query.external,
    };
    const all = (await this.list(ctx, as, 'networks', params)).map(networkOfWire);
    return as.token === undefined ? all.filter((n) => mayUse(ctx, n)) : all;
  }

  /** @throws not_found where it does not exist or `ctx` may not use it. */
  async showNetwork(ctx: RequestContext, id: string, as: ActingOptions = {}): Promise<Network> {
    const network = networkOfWire(await this.show(ctx, as, 'networks', 'network', id));
    if (as.token === undefined && !mayUse(ctx, network)) throw unknown('Network', id);
    return network;
  }

  /** Creates a network; `wire` fields go out as they are (`shared`, `router:external`, `provider:*`). */
  async createNetwork(ctx: RequestContext, wire: Dict, as: ActingOptions = {}): Promise<Network> {
    return networkOfWire(await this.create(ctx, as, 'networks', 'network', wire));
  }

  async deleteNetwork(ctx: RequestContext, id: string, as: ActingOptions = {}): Promise<void> {
    await this.remove(ctx, as, 'networks', id);
  }

  async listSubnets(
    ctx: RequestContext,
    query: { ids?: readonly string[]; networkId?: string } = {},
    as: ActingOptions = {},
  ): Promise<Subnet[]> {
    if (query.ids?.length === 0) return [];
    return (await this.list(ctx, as, 'subnets', { id: query.ids, network_id: query.networkId })).map(subnetOfWire);
  }

  async showSubnet(ctx: RequestContext, id: string, as: ActingOptions = {}): Promise<Subnet> {
    return subnetOfWire(await this.show(ctx, as, 'subnets', 'subnet', id));
  }

  async createSubnet(ctx: RequestContext, wire: Dict, as: ActingOptions = {}): Promise<Subnet> {
    return subnetOfWire(await this.create(ctx, as, 'subnets', 'subnet', wire));
  }

  async deleteSubnet(ctx: RequestContext, id: string, as: ActingOptions = {}): Promise<void> {
    await this.remove(ctx, as, 'subnets', id);
  }

  async listPorts(ctx: RequestContext, query: PortQuery = {}, as: ActingOptions = {}): Promise<Port[]> {
    if (query.ids?.length === 0) return [];
    const params = {
      id: query.ids,
      device_id: query.deviceId,
      device_owner: query.deviceOwner,
      network_id: query.networkId,
      project_id: query.projectId,
      name: query.name,
      'binding:host_id': query.bindingHost,
      fixed_ips: query.fixedIp === undefined ? undefined : `ip_address=${query.fixedIp}`,
    };
    return (await this.list(ctx, as, 'ports', params)).map(portOfWire);
  }

  /** @throws not_found where it does not exist or is another project's (administrators see all). */
  async showPort(ctx: RequestContext, id: string, as: ActingOptions = {}): Promise<Port> {
    const port = portOfWire(await this.show(ctx, as, 'ports', 'port', id));
    if (as.token === undefined && !isAdmin(ctx) && port.projectId !== ctx.projectId) throw unknown('Port', id);
    return port;
  }

  /**
   * Creates a port for the project of `ctx` unless told otherwise. Not repeated once sent: after a time-out, look for
   * it by device id.
   * @throws conflict where the address or the MAC is taken, or none is left (`details.type` keeps the service's name for it).
   */
  async createPort(ctx: RequestContext, port: NewPort, as: ActingOptions = {}): Promise<Port> {
    const projectId = port.projectId ?? ctx.projectId ?? undefined;
    const wire = wireOfPort({ ...port, ...(projectId === undefined ? {} : { projectId }) });
    return portOfWire(await this.create(ctx, as, 'ports', 'port', wire));
  }

  async updatePort(ctx: RequestContext, id: string, change: PortChange, as: ActingOptions = {}): Promise<Port> {
    const call = { method: 'PUT', path: `/ports/${segment(id)}`, json: { port: wireOfPort(change) } } as const;
    return portOfWire(inner((await this.call(ctx, as, call)).body, 'port'));
  }

  /** Deletes; a port that is already gone is fine. */
  async deletePort(ctx: RequestContext, id: string, as: ActingOptions = {}): Promise<void> {
    await this.remove(ctx, as, 'ports', id);
  }

  async listSecurityGroups(
    ctx: RequestContext,
    query: { projectId?: string; name?: string; ids?: readonly string[] } = {},
    as: ActingOptions = {},
  ): Promise<SecurityGroup[]> {
    if (query.ids?.length === 0) return [];
    return (
      await this.list(ctx, as, 'security-groups', { project_id: query.projectId, name: query.name, id: query.ids })
    ).map(securityGroupOfWire);
  }

  async showSecurityGroup(ctx: RequestContext, id: string, as: ActingOptions = {}): Promise<SecurityGroup> {
    return securityGroupOfWire(await this.show(ctx, as, 'security-groups', 'security_group', id));
  }

  async listFloatingIps(
    ctx: RequestContext,
    query: { portId?: string; projectId?: string } = {},
    as: ActingOptions = {},
  ): Promise<FloatingIp[]> {
    return (await this.list(ctx, as, 'floatingips', { port_id: query.portId, project_id: query.projectId })).map(
      floatingIpOfWire,
    );
  }

  /** Aliases of the extensions that are switched on. */
  async extensions(ctx: RequestContext): Promise<ReadonlySet<string>> {
    const all = (await this.call(ctx, {}, { method: 'GET', path: '/extensions' })).body as {
      extensions?: { alias: string }[];
    };
    return new Set((all.extensions ?? []).map((e) => e.alias));
  }

  /** Limits of a project by resource (`port`, `network`, …); -1 is unlimited. */
  async quotas(
    ctx: RequestContext,
    projectId: string,
    as: ActingOptions = {},
  ): Promise<Readonly<Record<string, number>>> {
    return inner(
      (await this.call(ctx, as, { method: 'GET', path: `/quotas/${segment(projectId)}` })).body,
      'quota',
    ) as Record<string, number>;
  }

  /** How many ports a project has: as the network service counts them, or counted here where it does not tell. */
  async portsUsed(ctx: RequestContext, projectId: string, as: ActingOptions = {}): Promise<number> {
    const path = `/quotas/${segment(projectId)}/details.json`;
    const { status, body } = await this.call(ctx, as, { method: 'GET', path, accept: [403, 404] });
    const { port } = (status === 200 ? inner(body, 'quota') : {}) as { port?: { used?: unknown } };
    if (typeof port?.used === 'number') return port.used;
    return (await this.listPorts(ctx, { projectId }, as)).length;
  }

  /**
   * Reads a list to its end, a page at a time. The service may hand out fewer at a time than it is asked for (Neutron's
   * `pagination_max_limit`), so that the length of a page tells nothing: its links say whether another follows, and
   * where it has none, it is asked for until nothing new comes.
   */
  private async list(
    ctx: RequestContext,
    as: ActingOptions,
    collection: string,
    filters: Record<string, QueryValue>,
  ): Promise<Dict[]> {
    const limit = this.options.pageSize ?? 1000;
    const key = collection.replaceAll('-', '_');
    const found = new Map<unknown, Dict>();
    for (let marker: string | undefined; ;) {
      const query = { ...filters, limit, ...(marker === undefined ? {} : { marker }) };
      const { body } = await this.call(ctx, as, { method: 'GET', path: `/${collection}`, query });
      const answer = (body ?? {}) as Dict;
      const page = (answer[key] ?? []) as Dict[];
      const before = found.size;
      for (const item of page) if (!found.has(item['id'])) found.set(item['id'], item);
      // a service that knows no markers hands out the same page for ever
      const last = found.size > before ? page.at(-1) : undefined;
      if (!last || saysLast(answer[`${key}_links`])) return [...found.values()];
      marker = String(last['id']);
    }
  }

  private async show(
    ctx: RequestContext,
    as: ActingOptions,
    collection: string,
    resource: string,
    id: string,
  ): Promise<Dict> {
    return inner((await this.call(ctx, as, { method: 'GET', path: `/${collection}/${segment(id)}` })).body, resource);
  }

  private async create(
    ctx: RequestContext,
    as: ActingOptions,
    collection: string,
    resource: string,
    wire: Dict,
  ): Promise<Dict> {
    return inner(
      (await this.call(ctx, as, { method: 'POST', path: `/${collection}`, json: { [resource]: wire } })).body,
      resource,
    );
  }

  private async remove(ctx: RequestContext, as: ActingOptions, collection: string, id: string): Promise<void> {
    await this.call(ctx, as, { method: 'DELETE', path: `/${collection}/${segment(id)}`, accept: [404] });
  }

  private call(ctx: RequestContext, as: ActingOptions, call: Omit<ServiceCall, 'type' | 'version' | 'token'>) {
    const { timeoutMs } = this.options;
    return this.options.session.request(ctx, {
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...call,
      type: 'network',
      version: 'v2.0',
      ...(as.token === undefined ? {} : { token: as.token }),
    });
  }
}

/** Whether a page's links, where it has any, name no further page. */
const saysLast = (links: unknown): boolean =>
  Array.isArray(links) && !(links as { rel?: unknown }[]).some((link) => link.rel === 'next');
const inner = (body: unknown, key: string): Dict => ((body ?? {}) as Record<string, Dict>)[key] ?? {};
const isAdmin = (ctx: RequestContext): boolean => ctx.roles.includes('admin');
const mayUse = (ctx: RequestContext, n: Network): boolean => isAdmin(ctx) || n.shared || n.projectId === ctx.projectId;
const unknown = (what: string, id: string) =>
  notFound(`${what} ${id} could not be found.`, { code: 'network.not_found', details: { service: 'network', id } });
