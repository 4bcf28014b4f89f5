import type {
  FailedAttemptsRepository,
  HostsRepository,
  Hypervisor,
  HypervisorKey,
  HypervisorsRepository,
} from '@fractus/compute-db';
import {
  type Missing,
  missingLately,
  type Room,
  roomsOf,
  shareTraits,
  type TraitShares,
} from '@fractus/hypervisors-capabilities';
import type { PlacementCaller } from '@fractus/clients';
import { invalid, type RequestContext } from '@fractus/objects';
import type { ProviderRecord } from '@fractus/rpc-contracts';
import { hypervisorNotFound } from '../hypervisors/hypervisors';
import { providerTrees, type Trees, type UnknownPart } from './provider-trees';

/** How far back what was missing is looked for, and what that may cost. */
export const MISSING_HOURS = 24;
const MISSING_BOUNDS = { limit: 200, among: 5000 };
/** Hypervisors read at once, and looked at in one request, while a page is filled. */
const BATCH = 200;
const MOST_LOOKED_AT = 2000;

export interface HypervisorCapabilitiesDeps {
  readonly hypervisors: Pick<HypervisorsRepository, 'find' | 'page'>;
  readonly hosts: Pick<HostsRepository, 'computeService'>;
  readonly attempts: Pick<FailedAttemptsRepository, 'since'>;
  readonly placement: Pick<PlacementCaller, 'getTrees'>;
  readonly isUp: (service: Pick<Hypervisor['service'], 'forcedDown' | 'lastSeenAt'>) => boolean;
  readonly now: () => number;
}

export interface HypervisorTold {
  readonly hypervisor: Hypervisor;
  readonly up: boolean;
  readonly traits: TraitShares;
}
export interface ProviderTold {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
  readonly traits: readonly string[];
  readonly inventory: Readonly<Record<string, Room>>;
}
export interface HypervisorCapabilities extends HypervisorTold {
  readonly serviceVersion: number | null;
  /** Null where Placement does not know it or did not answer. */
  readonly inventory: Readonly<Record<string, Room>> | null;
  readonly nested: readonly ProviderTold[] | null;
  readonly missing: { readonly attempts: number; readonly truncated: boolean; readonly items: readonly Missing[] };
  readonly unknown: readonly UnknownPart[];
}

export interface HypervisorsQuery {
  /** All of them. */
  readonly traits: readonly string[];
  readonly capabilities: readonly string[];
  readonly limit: number;
  readonly marker: HypervisorKey | null;
}
export interface HypervisorsPage {
  readonly items: readonly HypervisorTold[];
  /** The last hypervisor that was looked at, where there may be more after it. */
  readonly next: Hypervisor | null;
  readonly unknown: readonly UnknownPart[];
}

/**
 * What hypervisors are capable of, as their agents last reported it and as Placement has it. No agent is asked, and a
 * Placement that does not answer costs the parts that only it knows.
 */
export class HypervisorsCapabilities {
  constructor(private readonly deps: HypervisorCapabilitiesDeps) {}

  /** `not_found` when there is none. */
  async get(ctx: RequestContext, key: HypervisorKey): Promise<HypervisorCapabilities> {
    const { hypervisors, hosts, attempts, placement, now } = this.deps;
    const hypervisor = await hypervisors.find(key);
    if (!hypervisor) throw hypervisorNotFound('id' in key ? key.id : key.rowId);
    const since = now() - MISSING_HOURS * 3_600_000;
    const [trees, service, failed] = await Promise.all([
      providerTrees(placement, ctx, [hypervisor.nodeId]),
      hosts.computeService(hypervisor.host),
      attempts.since({ since, ...MISSING_BOUNDS }),
    ]);
    const { told, root, tree } = this.told(hypervisor, trees);
    const inventory = root ? roomsOf(root.inventories, root.usages) : null;
    const traits = root ? new Set(root.traits) : null;
    const items = missingLately(failed.attempts, { host: hypervisor.host, traits, rooms: inventory });
    return {
      ...told,
      serviceVersion: service?.version ?? null,
      inventory,
      nested: root ? tree.filter((p) => p !== root).map(providerTold) : null,
      missing: { attempts: failed.attempts.length, truncated: failed.truncated, items },
      unknown: trees.known ? (root ? [] : [noProvider(hypervisor)]) : [trees.unknown],
    };
  }

  /**
   * Those that have all the capabilities and traits, a page at a time. Traits are those in Placement; while it does not
   * answer, those that agents report, and `unknown` says so. A page may be short and have a `next`: so many are looked
   * at in one request. `invalid` when the marker is unknown.
   */
  async page(ctx: RequestContext, query: HypervisorsQuery): Promise<HypervisorsPage> {
    const items: HypervisorTold[] = [];
    const unknown = new Map<string, UnknownPart>();
    let after = await this.startOf(query);
    let last: Hypervisor | null = null;
    const all = query.traits.length + query.capabilities.length === 0;
    const size = all ? Math.min(BATCH, query.limit) : BATCH;
    for (let looked = 0; query.limit > 0 && looked < MOST_LOOKED_AT; looked += size) {
      const batch = await this.deps.hypervisors.page({ after, limit: size });
      const able = batch.filter((h) => query.capabilities.every((c) => h.capabilities[c] === true));
      const trees = await providerTrees(this.deps.placement, ctx, able.map((h) => h.nodeId)); // prettier-ignore
      if (!trees.known) unknown.set(trees.unknown.part, trees.unknown);
      for (const hypervisor of able) {
        const { told, root } = this.told(hypervisor, trees);
        const has = new Set(root ? root.traits : trees.known ? [] : told.traits.owned);
        if (!query.traits.every((t) => has.has(t))) continue;
        items.push(told);
        if (items.length === query.limit) return { items, next: hypervisor, unknown: [...unknown.values()] };
      }
      last = batch.at(-1) ?? null;
      if (!last || batch.length < size) return { items, next: null, unknown: [...unknown.values()] };
      after = last.rowId;
    }
    return { items, next: last, unknown: [...unknown.values()] };
  }

  private async startOf({ marker }: HypervisorsQuery): Promise<number> {
    if (!marker) return 0;
    const found = await this.deps.hypervisors.find(marker);
    if (found) return found.rowId;
    throw invalid(`marker [${'id' in marker ? marker.id : marker.rowId}] not found`, { code: 'query.marker' });
  }

  private told(
    hypervisor: Hypervisor,
    trees: Trees,
  ): { told: HypervisorTold; root: ProviderRecord | null; tree: readonly ProviderRecord[] } {
    const tree = trees.known ? (trees.byRoot.get(hypervisor.nodeId) ?? []) : [];
    const root = tree.find((p) => p.providerId === hypervisor.nodeId) ?? null;
    const traits = shareTraits(hypervisor.traits, root ? root.traits : null);
    return { told: { hypervisor, up: this.deps.isUp(hypervisor.service), traits }, root, tree };
  }
}

const providerTold = ({ providerId, name, parentId, traits, inventories, usages }: ProviderRecord): ProviderTold => ({
  id: providerId,
  name,
  parentId,
  traits: [...traits].sort(),
  inventory: roomsOf(inventories, usages),
});

const noProvider = ({ nodeId }: Hypervisor): UnknownPart => ({
  part: 'placement',
  code: 'placement.no_provider',
  message: `Placement has no resource provider ${nodeId}`,
});
