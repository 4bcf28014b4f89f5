/**
 * The hosts as this scheduler knows them: a snapshot of the compute database, kept current by news.
 *
 * A state of a node is as old as (incarnation, seq) of the report it came with, whether it came as news or was read
 * from the database; an older one never replaces a newer. The news of one agent process are counted: after a gap, or
 * when a host is named that is not known, those hosts are read from the database anew. Whatever is stale here costs a
 * retry of a claim, never a wrong one: Placement decides.
 *
 * This class holds and answers; `HostLoader` reads.
 */
import type { Aggregate, HostService, HostSnapshot } from '@fractus/compute-db';
import type { HostReport, HostState } from '@fractus/rpc-contracts';
import type { AggregateView, CloudFacts, HostView, ServiceView } from '@fractus/scheduling';
import { type BaseView, CurrentHost } from './current-host';
import { RecentClaims } from './recent-claims';
import { supportedInstances } from './supported-instances';

type NodeState = Omit<HostSnapshot, 'rowId' | 'service'>;

interface Node {
  state: NodeState;
  /** The view without service and claims, made when first asked for and after a change. */
  view?: BaseView;
}

interface Agent {
  readonly incarnation: number;
  readonly seq: number;
  /** Every host that the agent has named. */
  readonly hosts: Set<string>;
}

/** What Placement says of a root provider's room; classes that are not there are taken from the node's report. */
export interface ProviderRoom {
  /** Epoch milliseconds: claims made before this are in the figures. */
  readonly asOf: number;
  readonly vcpus?: number;
  readonly memoryMb?: number;
  readonly diskGb?: number;
}

const NOTHING_KNOWN: ProviderRoom = { asOf: 0 };

export interface HostCacheOptions {
  readonly serviceDownSeconds: number;
  readonly defaultZone: string;
}

export class HostCache {
  readonly claims = new RecentClaims();
  private readonly nodes = new Map<string, Node>();
  private readonly nodeIdsByHost = new Map<string, Set<string>>();
  private readonly services = new Map<string, HostService>();
  /** When news last named a host: they may come before its service's row is read, or while the row still says never. */
  private readonly seenAt = new Map<string, number>();
  private readonly agents = new Map<string, Agent>();
  private aggregates: readonly AggregateView[] = [];
  private aggregatesByHost = new Map<string, AggregateView[]>();
  private knownFacts?: CloudFacts;

  constructor(private readonly options: HostCacheOptions) {}

  get size(): number {
    return this.nodes.size;
  }

  /** Takes snapshots in; a node whose state here is newer keeps it, its service is taken over in any case. */
  load(snapshots: readonly HostSnapshot[]): void {
    for (const { service, rowId: _, ...state } of snapshots) {
      this.keepNewer(state);
      this.services.set(state.host, service);
    }
  }

  /** Drops nodes that a full read did not find. */
  retain(nodeIds: ReadonlySet<string>): void {
    for (const [id, { state }] of this.nodes) if (!nodeIds.has(id)) this.drop(id, state.host);
  }

  /** Drops the nodes of hosts that have none in the database any more. */
  forgetHosts(hosts: readonly string[], found: readonly HostSnapshot[]): void {
    const left = new Set(found.map((s) => s.nodeId));
    for (const host of hosts) {
      for (const id of this.nodeIdsByHost.get(host) ?? []) if (!left.has(id)) this.drop(id, host);
    }
  }

  setAggregates(aggregates: readonly Aggregate[]): void {
    this.aggregatesByHost = new Map();
    this.aggregates = aggregates.map(({ uuid, name, metadata, hosts }) => {
      const view: AggregateView = { id: uuid, name, metadata };
      for (const host of hosts) {
        const list = this.aggregatesByHost.get(host);
        if (list) list.push(view);
        else this.aggregatesByHost.set(host, [view]);
      }
      return view;
    });
    for (const node of this.nodes.values()) delete node.view;
    this.knownFacts = undefined;
  }

  /**
   * Takes news in and names the hosts that must be read anew: those that are not known, and after a gap all of the
   * agent's that did not come along.
   */
  report(report: HostReport, now: number): string[] {
    const { agentId, incarnation, seq, alive, changed } = report;
    const agent = this.agents.get(agentId);
    if (agent && (incarnation < agent.incarnation || (incarnation === agent.incarnation && seq <= agent.seq)))
      return [];
    const inOrder = agent !== undefined && incarnation === agent.incarnation && seq === agent.seq + 1;
    const hosts = agent?.hosts ?? new Set<string>();
    this.agents.set(agentId, { incarnation, seq, hosts });
    const current = new Set<string>();
    for (const state of changed) {
      this.keepNewer(fromNews(state, incarnation, seq));
      this.claims.reported(state.nodeId, now);
      current.add(state.host);
    }
    for (const host of alive) {
      hosts.add(host);
      this.seenAt.set(host, now);
    }
    const named = inOrder ? alive : hosts;
    // a state that came along is current, but says nothing of a service that is not known
    const missed = (host: string): boolean => !inOrder && !current.has(host);
    const unknown = (host: string): boolean => !this.services.has(host) || !this.nodeIdsByHost.has(host);
    return [...named].filter((host) => unknown(host) || missed(host));
  }

  facts(): CloudFacts {
    this.knownFacts ??= {
      hosts: [...this.nodes.values()].map(({ state }) => ({
        host: state.host,
        node: state.node,
        nodeId: state.nodeId,
      })),
      aggregates: this.aggregates,
      everyHostOwned:
        this.nodes.size > 0 && [...this.nodes.values()].every((n) => n.state.traits.includes('OWNER_NOVA')),
    };
    return this.knownFacts;
  }

  /** The view of a node, recent claims deducted; undefined for a node that is not known. */
  view(nodeId: string, now: number, room: ProviderRoom = NOTHING_KNOWN): HostView | undefined {
    const node = this.nodes.get(nodeId);
    if (!node) return undefined;
    const view = (node.view ??= this.baseView(node.state));
    // what Placement has told counts the claims made before
    const { all, since } = this.claims.on(nodeId, now, room.asOf);
    const { vcpus, memoryMb, diskGb } = room;
    const free = {
      vcpus: vcpus === undefined ? view.vcpus - view.vcpusUsed - all.vcpus : vcpus - since.vcpus,
      memoryMb: memoryMb === undefined ? view.memoryMb - view.memoryMbUsed - all.memoryMb : memoryMb - since.memoryMb,
      diskGb: diskGb === undefined ? view.diskGb - view.diskGbUsed - all.diskGb : diskGb - since.diskGb,
    };
    return new CurrentHost(view, this.serviceView(view.host, now), free, all.servers);
  }

  private serviceView(host: string, now: number): ServiceView {
    const service = this.services.get(host);
    if (!service) return { up: false, disabled: false, disabledReason: null, forcedDown: false, silentSeconds: null };
    const { disabled, disabledReason, forcedDown } = service;
    const lastSeenAt = latest(service.lastSeenAt, this.seenAt.get(host) ?? null);
    const silentSeconds = lastSeenAt === null ? null : Math.max(0, Math.round((now - lastSeenAt) / 1000));
    const up = !forcedDown && lastSeenAt !== null && now - lastSeenAt <= this.options.serviceDownSeconds * 1000;
    return { up, disabled, disabledReason, forcedDown, silentSeconds };
  }

  private baseView(state: NodeState): BaseView {
    const aggregates = this.aggregatesByHost.get(state.host) ?? [];
    const zone = aggregates.find((a) => a.metadata['availability_zone'] !== undefined)?.metadata['availability_zone'];
    // one by one, so that all hosts have their fields in the same place: reading them is a tenth of the cost then
    return {
      host: state.host,
      node: state.node,
      nodeId: state.nodeId,
      availabilityZone: zone ?? this.options.defaultZone,
      aggregates,
      hypervisorType: state.hypervisorType,
      hypervisorVersion: state.hypervisorVersion,
      hostIp: state.hostIp,
      vcpus: state.vcpus,
      vcpusUsed: state.vcpusUsed,
      memoryMb: state.memoryMb,
      memoryMbUsed: state.memoryMbUsed,
      diskGb: state.diskGb,
      diskGbUsed: state.diskGbUsed,
      runningGuests: state.runningGuests,
      ioOps: state.ioOps,
      failedBuilds: state.failedBuilds,
      freePciDevices: 0,
      cpuInfo: parseCpuInfo(state.cpuInfo),
      supportedInstances: supportedInstances(state.architecture, state.hypervisorType),
      capabilities: state.capabilities,
    };
  }

  private keepNewer(state: NodeState): void {
    const known = this.nodes.get(state.nodeId)?.state;
    if (known && isOlder(state, known)) return;
    if (known && known.host !== state.host) this.drop(state.nodeId, known.host);
    this.nodes.set(state.nodeId, { state });
    const ids = this.nodeIdsByHost.get(state.host);
    if (ids) ids.add(state.nodeId);
    else this.nodeIdsByHost.set(state.host, new Set([state.nodeId]));
    const owned = known?.traits.includes('OWNER_NOVA') === state.traits.includes('OWNER_NOVA');
    if (!known || known.node !== state.node || !owned) this.knownFacts = undefined;
  }

  private drop(nodeId: string, host: string): void {
    this.nodes.delete(nodeId);
    this.knownFacts = undefined;
    const ids = this.nodeIdsByHost.get(host);
    ids?.delete(nodeId);
    if (ids?.size !== 0) return;
    this.nodeIdsByHost.delete(host);
    this.services.delete(host);
    this.seenAt.delete(host);
  }
}

const latest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

const isOlder = (a: NodeState, b: NodeState): boolean =>
  a.incarnation < b.incarnation || (a.incarnation === b.incarnation && a.seq < b.seq);

/** A state as news carry it; the order of reports comes from the message. */
function fromNews({ uptimeSeconds: _, ...state }: HostState, incarnation: number, seq: number): NodeState {
  return { ...state, incarnation, seq };
}

function parseCpuInfo(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null; // a driver that reports no JSON has no cpu_info to match
  }
}
