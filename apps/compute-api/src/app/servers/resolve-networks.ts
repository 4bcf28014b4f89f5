import { isIP } from 'node:net';
import { conflict, forbidden, invalid, isFractusError, type RequestContext } from '@fractus/objects';
import type { Network, NetworkClient, Port, SecurityGroup } from '@fractus/clients';
import type { RequestedNetwork, RequestedNetworks, ResolvedNetwork, ResolvedNetworks } from './create-request';

export interface NetworkRules {
  /** More than one server is asked for: a port or an address cannot be shared. */
  several: boolean;
  /** Policy network:attach_external_network. */
  mayAttachExternal: boolean;
}

/** Turns what was asked for into networks and ports that exist and may be used. */
export async function resolveNetworks(
  client: NetworkClient,
  ctx: RequestContext,
  asked: RequestedNetworks,
  rules: NetworkRules,
): Promise<ResolvedNetworks> {
  if (asked === 'none') return 'none';
  if (asked === 'default' || asked === 'auto') return defaultNetwork(client, ctx, asked, rules);
  if (asked.length === 0) return defaultNetwork(client, ctx, 'default', rules);
  const ports = await showPorts(client, ctx, asked);
  const wanted = asked
    .map((a) => (a.portId ? (ports.get(a.portId) as Port).networkId : a.networkId))
    .filter((id): id is string => !!id);
  await checkAddressesFree(client, ctx, asked);
  const networks = new Map((await client.listNetworks(ctx, { ids: [...new Set(wanted)] })).map((n) => [n.id, n]));
  return asked.map((a) =>
    a.portId ? fromPort(ports.get(a.portId) as Port, a, rules) : fromNetwork(networks, a, rules),
  );
}

/** Nothing was named: the one network the project has; none is fine before 2.37 and an error for `auto`. */
async function defaultNetwork(
  client: NetworkClient,
  ctx: RequestContext,
  asked: 'default' | 'auto',
  rules: NetworkRules,
): Promise<ResolvedNetworks> {
  const [own, shared] = await Promise.all([
    client.listNetworks(ctx, { ...(ctx.projectId ? { projectId: ctx.projectId } : {}), external: false }),
    client.listNetworks(ctx, { shared: true, external: false }),
  ]);
  const byId = new Map([...own, ...shared].filter((n) => n.adminStateUp).map((n) => [n.id, n]));
  const usable = [...byId.values()].filter((n) => n.subnetIds.length > 0);
  if (usable.length > 1)
    throw conflict('Multiple possible networks found, use a Network ID to be more specific.', {
      code: 'network.ambiguous',
    });
  const [only] = usable;
  if (only) return [checked(only, { networkId: only.id, portId: null, fixedIp: null, tag: null }, rules)];
  if (asked === 'default') return 'none';
  throw invalid(`Unable to automatically allocate a network for project ${ctx.projectId}`, {
    code: 'network.auto_allocate',
  });
}

/** An address that is taken already is told now; who loses a race for one finds out when the port is made. */
async function checkAddressesFree(
  client: NetworkClient,
  ctx: RequestContext,
  asked: RequestedNetwork[],
): Promise<void> {
  for (const { portId, networkId, fixedIp } of asked) {
    if (portId || !networkId || !fixedIp) continue;
    const [taken] = await client.listPorts(ctx, { networkId, fixedIp });
    if (taken)
      throw invalid(`Fixed IP address ${fixedIp} is already in use on instance ${taken.deviceId}.`, {
        code: 'network.address_in_use',
      });
  }
}

async function showPorts(
  client: NetworkClient,
  ctx: RequestContext,
  asked: RequestedNetwork[],
): Promise<Map<string, Port>> {
  const found = new Map<string, Port>();
  for (const { portId } of asked) {
    if (!portId || found.has(portId)) continue;
    const port = await client.showPort(ctx, portId).catch((e: unknown) => {
      if (isFractusError(e, 'not_found', 'forbidden'))
        throw invalid(`Port id ${portId} could not be found.`, { code: 'port.not_found', cause: e });
      throw e;
    });
    found.set(portId, port);
  }
  return found;
}

function fromPort(port: Port, asked: RequestedNetwork, rules: NetworkRules): ResolvedNetwork {
  if (rules.several)
    throw invalid('Failed to launch multiple instances with a specified port', { code: 'port.several_servers' });
  if (port.deviceId) throw conflict(`Port ${port.id} is still in use.`, { code: 'port.in_use' });
  if (port.fixedIps.length === 0)
    throw invalid(`Port ${port.id} requires a FixedIP in order to be used.`, { code: 'port.no_fixed_ip' });
  return { networkId: port.networkId, portId: port.id, fixedIp: null, tag: asked.tag };
}

function fromNetwork(
  networks: ReadonlyMap<string, Network>,
  asked: RequestedNetwork,
  rules: NetworkRules,
): ResolvedNetwork {
  const network = asked.networkId ? networks.get(asked.networkId) : undefined;
  if (!network) throw invalid(`Network ${asked.networkId} could not be found.`, { code: 'network.not_found' });
  return checked(network, asked, rules);
}

function checked(network: Network, asked: RequestedNetwork, rules: NetworkRules): ResolvedNetwork {
  if (network.external && !network.shared && !rules.mayAttachExternal)
    throw forbidden(`It is not allowed to create an interface on external network ${network.id}`, {
      code: 'network.external',
    });
  if (network.subnetIds.length === 0)
    throw invalid(`Network ${network.id} requires a subnet in order to boot instances on.`, {
      code: 'network.no_subnet',
    });
  if (asked.fixedIp !== null) {
    if (isIP(asked.fixedIp) === 0)
      throw invalid(`Invalid fixed IP address (${asked.fixedIp})`, { code: 'network.fixed_ip' });
    if (rules.several)
      throw invalid(`Invalid input received: max_count cannot be greater than 1 if an fixed_ip is specified.`, {
        code: 'network.several_servers',
      });
  }
  return { networkId: network.id, portId: null, fixedIp: asked.fixedIp, tag: asked.tag };
}

/** How many ports conductor will make for one server. */
export function portsToMake(networks: ResolvedNetworks): number {
  return networks === 'none' ? 0 : networks.filter((n) => n.portId === null).length;
}

/**
 * How many of the servers asked for the project's port quota carries; fewer than all are fine as long as they are at
 * least the least. −1 in the quota is unlimited.
 */
export async function serversThatFit(
  client: NetworkClient,
  ctx: RequestContext,
  portsEach: number,
  { minCount, maxCount }: { minCount: number; maxCount: number },
): Promise<number> {
  if (portsEach === 0 || !ctx.projectId) return maxCount;
  const { port: limit } = await client.quotas(ctx, ctx.projectId);
  if (limit === undefined || limit < 0) return maxCount;
  const used = await client.portsUsed(ctx, ctx.projectId);
  const fit = Math.min(maxCount, Math.floor((limit - used) / portsEach));
  if (fit < minCount)
    throw forbidden('Maximum number of ports exceeded', {
      code: 'quota.ports',
      details: { requested: portsEach * minCount, used, limit },
    });
  return fit;
}

/**
 * Names or uuids of security groups, as the network service knows them. Given back by name, as servers show them, or by
 * id where several have the name. `default` always stands for the project's own.
 */
export async function resolveSecurityGroups(
  client: NetworkClient,
  ctx: RequestContext,
  asked: string[],
): Promise<string[]> {
  const names = [...new Set(asked)];
  if (names.every((n) => n === 'default') || !ctx.projectId) return names;
  const all = await client.listSecurityGroups(ctx, { projectId: ctx.projectId });
  const named = (name: string): SecurityGroup[] => all.filter((g) => g.name === name);
  return names.map((name) => {
    const byId = all.find((g) => g.id === name);
    if (byId) return named(byId.name).length === 1 ? byId.name : byId.id;
    if (name === 'default') return name;
    if (named(name).length > 1)
      throw conflict(`Multiple security_group found matching '${name}'. Use an ID to be more specific.`, {
        code: 'security_group.ambiguous',
      });
    if (named(name).length === 0)
      throw invalid(`Unable to find security_group with name or id '${name}'`, { code: 'security_group.not_found' });
    return name;
  });
}
