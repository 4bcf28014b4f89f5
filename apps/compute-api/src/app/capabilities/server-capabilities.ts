import type { ComputeNode, HostsRepository, Server } from '@fractus/compute-db';
import { SERVER_FEATURES, type ServerFeature } from '@fractus/hypervisors-capabilities';
import { invalid, type RequestContext } from '@fractus/objects';
import {
  clientName,
  evaluateAll,
  type Facts,
  notBuilt,
  type Reason,
  SERVER_ACTION_KEYS,
  type StatePair,
  UNBUILT_ACTIONS,
} from '@fractus/server-lifecycle';
import { factsOf } from '../servers/act-on-server';
import { type AccessDeps, serverFor } from '../servers/server-access';
import { type HostStatusRight, type SurroundingsDeps, surroundingsOf } from '../servers/server-surroundings';

export const SERVER_CAPABILITIES_RULE = 'os_compute_api:servers:capabilities';

export interface ServerCapabilitiesDeps extends AccessDeps, SurroundingsDeps {
  readonly servers: AccessDeps['servers'];
  readonly reads: AccessDeps['reads'];
  readonly hosts: Pick<HostsRepository, 'nodeOf'>;
  /** Why the microversion asked for has no request of that name (an action's key, or `delete`); null where it has. */
  readonly versionReason: (name: string, microversion: string) => Reason | null;
  /** What the asker may know of the host of a server of this owner. */
  readonly hostRights: (ctx: RequestContext, owner: { projectId: string; userId: string }) => HostRights;
}

export interface HostRights {
  readonly status: HostStatusRight;
  /** Its name and traits. */
  readonly shown: boolean;
}

export interface ServerCapabilitiesRequest {
  readonly serverId: string;
  readonly microversion: string;
  /** Names of actions, with or without `os-` in front; empty: all. */
  readonly actions: readonly string[];
  /** Of actions that there are several of under one name: which. */
  readonly variant: string | null;
}

export interface Possible {
  readonly reasons: readonly Reason[];
  readonly already: boolean;
  /** The states while it is done and after; null where it is not possible. */
  readonly meanwhile: StatePair | null;
  readonly then: StatePair | null;
}
export interface PossibleAction extends Possible {
  readonly name: string;
  readonly variant: string | null;
}
export interface PossibleFeature extends ServerFeature {
  readonly name: string;
  readonly reasons: readonly Reason[];
}

export interface ServerCapabilities {
  readonly server: Server;
  readonly actions: readonly PossibleAction[];
  readonly features: readonly PossibleFeature[];
  readonly hostStatus: string | null;
  /** Null where the asker may not know it, or the server is on none. */
  readonly hostShown: { readonly name: string; readonly traits: readonly string[] } | null;
  /** When the host's agent last told of itself, epoch milliseconds; null without a report. */
  readonly reportedAt: number | null;
}

const UNBUILT: ReadonlySet<string> = new Set(UNBUILT_ACTIONS.map((a) => a.name));

/** Names under which actions are asked for, those that are not built last. */
export const CLIENT_ACTIONS: readonly string[] = [
  ...new Set([...SERVER_ACTION_KEYS.map((key) => clientName(key).name), ...UNBUILT]),
];

/**
 * What the asker could do to a server now, by the guards that judge the actions themselves, and why not the rest. From
 * the database alone: nobody is asked. Errors: as for showing the server; `invalid` for an action that is not known.
 */
export async function serverCapabilities(
  deps: ServerCapabilitiesDeps,
  ctx: RequestContext,
  request: ServerCapabilitiesRequest,
): Promise<ServerCapabilities> {
  const wanted = wantedNames(request);
  const server = await serverFor(deps, ctx, request.serverId, SERVER_CAPABILITIES_RULE);
  const node = server.host === null ? null : await deps.hosts.nodeOf(server.host);
  const may: AccessDeps['may'] = (c, rule, target) => deps.may(c, rule, target);
  const facts = await factsOf({ may, capabilitiesOf: () => Promise.resolve(node?.capabilities) }, ctx, server);
  const rights = deps.hostRights(ctx, { projectId: server.projectId, userId: server.userId });
  const around = (await surroundingsOf(deps, [server], rights.status)).get(server.id);
  return {
    server,
    actions: wanted.flatMap((name) => possible(deps, facts, name, request)),
    features: request.actions.length > 0 ? [] : featuresOf(server, node),
    hostStatus: around?.hostStatus ?? null,
    hostShown: rights.shown && server.host !== null ? { name: server.host, traits: node?.traits ?? [] } : null,
    reportedAt: node?.reportedAt ?? null,
  };
}

function wantedNames({ actions, variant }: ServerCapabilitiesRequest): readonly string[] {
  const names = actions.length === 0 ? CLIENT_ACTIONS : [...new Set(actions.map(nameOf))];
  if (variant !== null && (names.length !== 1 || names[0] !== 'reboot'))
    throw invalid("type goes with action=reboot alone: it is a part of that action's body", { code: 'query.type' });
  return names;
}

function nameOf(given: string): string {
  const known = CLIENT_ACTIONS.find((name) => name === given || name === `os-${given}`);
  if (known !== undefined) return known;
  const list = CLIENT_ACTIONS.join(', ');
  throw invalid(`action: '${given.slice(0, 100)}' is none of ${list}`, { code: 'query.action' });
}

function possible(
  deps: ServerCapabilitiesDeps,
  facts: Facts,
  name: string,
  { microversion, variant }: ServerCapabilitiesRequest,
): PossibleAction[] {
  const never = { already: false, meanwhile: null, then: null };
  if (UNBUILT.has(name)) return [{ name, variant: null, reasons: [notBuilt(name)], ...never }];
  const absent = deps.versionReason(name, microversion);
  return evaluateAll(facts, name)
    .filter((a) => variant === null || a.variant === variant)
    .map(({ variant: own, verdict, done }) => {
      const reasons = [...(absent ? [absent] : []), ...(verdict.allowed ? [] : verdict.reasons)];
      const named = { name, variant: variant === null ? own : null, reasons };
      if (reasons.length > 0 || !verdict.allowed) return { ...named, ...never };
      return { ...named, already: verdict.already, meanwhile: verdict.next, then: done };
    });
}

function featuresOf(server: Server, node: ComputeNode | null): PossibleFeature[] {
  return Object.entries<ServerFeature>(SERVER_FEATURES).map(([name, feature]) => {
    const reasons = hostReasons(server, node, feature);
    if (UNBUILT.has(feature.action)) reasons.push(notBuilt(feature.action));
    return { name, ...feature, reasons };
  });
}

function hostReasons({ id, host }: Server, node: ComputeNode | null, { capability }: ServerFeature): Reason[] {
  if (host === null)
    return [
      { code: 'host.none', message: `Instance ${id} is on no host`, have: null, need: 'a host', retryable: true },
    ];
  if (!node) {
    const message = `The hypervisor of instance ${id} has not reported what it can do`;
    return [{ code: 'host.unreported', message, have: null, need: capability, retryable: true, capability }];
  }
  const have = node.capabilities[capability] ?? null;
  if (have === true) return [];
  const message = `The hypervisor of instance ${id} does not have ${capability}`;
  return [{ code: 'driver.unsupported', message, have, need: capability, retryable: false, capability }];
}
