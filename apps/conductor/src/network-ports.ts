/**
 * The ports of servers, as tasks see them. Everything is found again by device id, so each method may be repeated after
 * a crash at any point: what was made is found, what is missing is made, what is gone is fine.
 *
 * Which port is which: a port made here carries the name `<server id>/<index>` of the requested network it stands for; a port
 * that came with the request is bound and unbound, never deleted.
 */
import { LRUCache } from 'lru-cache';
import type { RequestedNetwork, Server } from '@fractus/compute-db';
import { conflict, invalid, isFractusError, type RequestContext } from '@fractus/objects';
import type { Network, NetworkClient, NewPort, Port, SecurityGroup } from '@fractus/clients';
import type { GuestNic } from '@fractus/rpc-contracts';

export interface PortOwner {
  readonly portId: string;
  readonly deviceId: string;
}

export interface NetworkPorts {
  /**
   * Makes or binds a port for each network asked for, in order, bound to `host`; moves the binding of those that exist.
   * `before` is called ahead of each write and may throw: who has lost the server meanwhile must not write.
   */
  ensurePorts(ctx: RequestContext, server: Server, host: string, before?: () => void): Promise<GuestNic[]>;
  /** Deletes the ports made for a server and unbinds those that came with the request. Nothing to do is fine. */
  releasePorts(ctx: RequestContext, server: Pick<Server, 'id' | 'requestedNetworks'>): Promise<void>;
  /** Ports that belong to servers (device owner `compute:*`), for reconcilers. */
  listOwned(ctx: RequestContext): Promise<PortOwner[]>;
  listByDevice(ctx: RequestContext, deviceId: string): Promise<PortOwner[]>;
}

const nothing = (): void => undefined;
const OWNER = 'compute:';
const portName = (serverId: string, index: number): string => `${serverId}/${index}`;

export class NeutronPorts implements NetworkPorts {
  private readonly known = new LRUCache<string, Network>({ max: 10_000, ttl: 30_000 });

  constructor(private readonly client: NetworkClient) {}

  async ensurePorts(ctx: RequestContext, server: Server, host: string, before = nothing): Promise<GuestNic[]> {
    const wanted = await this.wanted(ctx, server);
    if (wanted.length === 0) return [];
    const [existing, groups] = await Promise.all([
      this.client.listPorts(ctx, { deviceId: server.id }),
      this.securityGroups(ctx, server),
      this.networks(
        ctx,
        wanted.flatMap((w) => w.networkId ?? []),
      ), // ahead of need, beside the others
    ]);
    const owner = `${OWNER}${server.availabilityZone ?? 'nova'}`;
    const ports: Port[] = [];
    for (const [index, want] of wanted.entries()) {
      const name = portName(server.id, index);
      const found = want.portId ? existing.find((p) => p.id === want.portId) : existing.find((p) => p.name === name);
      if (found?.bindingHost !== host) before();
      if (found)
        ports.push(
          found.bindingHost === host ? found : await this.client.updatePort(ctx, found.id, { bindingHost: host }),
        );
      else if (want.portId)
        ports.push(
          await this.adopt(ctx, want.portId, server, { deviceId: server.id, deviceOwner: owner, bindingHost: host }),
        );
      else ports.push(await this.client.createPort(ctx, newPort(server, want, { name, owner, host, groups })));
    }
    const networks = await this.networks(
      ctx,
      ports.map((p) => p.networkId),
    );
    return ports.map((port, i) => nicOf(port, wanted[i] ?? {}, networks));
  }

  async releasePorts(ctx: RequestContext, server: Pick<Server, 'id' | 'requestedNetworks'>): Promise<void> {
    const asked = Array.isArray(server.requestedNetworks)
      ? (server.requestedNetworks as readonly RequestedNetwork[])
      : [];
    const theirs = new Set(asked.flatMap((n) => n.portId ?? []));
    for (const port of await this.client.listPorts(ctx, { deviceId: server.id })) {
      if (theirs.has(port.id)) await this.unbind(ctx, port.id);
      else await this.client.deletePort(ctx, port.id);
    }
  }

  async listOwned(ctx: RequestContext): Promise<PortOwner[]> {
    const ports = await this.client.listPorts(ctx, {});
    return ports
      .filter((p) => p.deviceOwner.startsWith(OWNER) && p.deviceId !== '')
      .map((p) => ({ portId: p.id, deviceId: p.deviceId }));
  }

  async listByDevice(ctx: RequestContext, deviceId: string): Promise<PortOwner[]> {
    return (await this.client.listPorts(ctx, { deviceId })).map((p) => ({ portId: p.id, deviceId }));
  }

  /** Names and MTUs; half a minute old at most. */
  private async networks(ctx: RequestContext, ids: readonly string[]): Promise<Network[]> {
    const missing = [...new Set(ids)].filter((id) => !this.known.has(id));
    if (missing.length > 0)
      for (const n of await this.client.listNetworks(ctx, { ids: missing })) this.known.set(n.id, n);
    return ids.flatMap((id) => this.known.get(id) ?? []);
  }

  private async wanted(ctx: RequestContext, server: Server): Promise<readonly RequestedNetwork[]> {
    const { requestedNetworks } = server;
    if (requestedNetworks === 'none') return [];
    if (requestedNetworks !== 'auto') return requestedNetworks;
    const all = await this.client.listNetworks({ ...ctx, roles: [] });
    const own = all.filter((n) => n.subnetIds.length > 0 && !n.external && n.projectId === server.projectId);
    const usable = own.length > 0 ? own : all.filter((n) => n.subnetIds.length > 0 && n.shared);
    if (usable.length > 1) {
      throw conflict('Multiple possible networks found, use a Network ID to be more specific.', {
        code: 'network.ambiguous',
      });
    }
    return usable.map((n) => ({ networkId: n.id }));
  }

  private async adopt(
    ctx: RequestContext,
    portId: string,
    server: Server,
    change: Pick<NewPort, 'deviceId' | 'deviceOwner' | 'bindingHost'>,
  ): Promise<Port> {
    const port = await this.client.showPort(ctx, portId);
    if (port.deviceId !== '' && port.deviceId !== server.id)
      throw conflict(`Port ${portId} is still in use.`, { code: 'network.port_in_use' });
    return this.client.updatePort(ctx, portId, change);
  }

  private async unbind(ctx: RequestContext, portId: string): Promise<void> {
    try {
      await this.client.updatePort(ctx, portId, { deviceId: '', deviceOwner: '', bindingHost: '' });
    } catch (e) {
      if (!isFractusError(e, 'not_found')) throw e;
    }
  }

  /** Names or ids as asked for → ids; none asked for leaves the choice to the network service. */
  private async securityGroups(ctx: RequestContext, server: Server): Promise<readonly string[]> {
    if (server.securityGroups.every((name) => name === 'default')) return [];
    const known = await this.client.listSecurityGroups(ctx, { projectId: server.projectId });
    return server.securityGroups.map((asked) => groupId(known, asked));
  }
}

function groupId(known: readonly SecurityGroup[], asked: string): string {
  const byId = known.find((g) => g.id === asked);
  const byName = known.filter((g) => g.name === asked);
  if (!byId && byName.length > 1)
    throw conflict(`Multiple security groups found matching '${asked}'. Use an ID to be more specific.`, {
      code: 'network.security_group',
    });
  const group = byId ?? byName[0];
  if (!group) throw invalid(`Security group ${asked} not found.`, { code: 'network.security_group' });
  return group.id;
}

interface PortDetails {
  readonly name: string;
  readonly owner: string;
  readonly host: string;
  readonly groups: readonly string[];
}

function newPort(server: Server, want: RequestedNetwork, { name, owner, host, groups }: PortDetails): NewPort {
  if (!want.networkId)
    throw invalid('A requested network names neither a network nor a port.', { code: 'network.requested' });
  return {
    networkId: want.networkId,
    projectId: server.projectId,
    name,
    deviceId: server.id,
    deviceOwner: owner,
    bindingHost: host,
    ...(want.fixedIp ? { fixedIps: [{ ipAddress: want.fixedIp }] } : {}),
    ...(groups.length > 0 ? { securityGroupIds: groups } : {}),
  };
}

function nicOf(port: Port, want: RequestedNetwork, networks: readonly Network[]): GuestNic {
  const network = networks.find((n) => n.id === port.networkId);
  return {
    portId: port.id,
    networkId: port.networkId,
    macAddress: port.macAddress,
    fixedIps: port.fixedIps.map(({ ipAddress, subnetId }) => ({ ipAddress, subnetId })),
    preexisting: want.portId !== undefined,
    ...(network ? { networkName: network.name } : {}),
    ...(network?.mtu ? { mtu: network.mtu } : {}),
    ...(port.vifType ? { vifType: port.vifType } : {}),
    ...(want.tag ? { tag: want.tag } : {}),
  };
}
