/**
 * Keeps the providers of this process' hosts in Placement as the drivers say. A host's state is sent only when its
 * fingerprint changed; now and then everything is read again, so that what others broke is mended.
 */
import { isFractusError, unavailable, type RequestContext } from '@fractus/objects';
import type {
  Client,
  placementContract,
  ProviderRecord,
  ProviderUpdate,
  ProviderUpdateResult,
} from '@fractus/rpc-contracts';
import type { Logger } from '@fractus/telemetry';
import type { VirtDriver } from '@fractus/virt';
import type { AgentHost } from '../hosts/host-registry';
import {
  desiredTraits,
  fingerprint,
  planUpdate,
  type ConfiguredRatios,
  type Desired,
  type DesiredTraits,
} from './desired';

/** Hosts in one message to Placement. */
export const PROVIDERS_PER_CALL = 200;
/** Attempts at one provider when others write to it at the same time. */
const ROUNDS = 4;
const CONCURRENT_UPDATE = 'placement.concurrent_update';

export interface TrackerParts {
  readonly driver: VirtDriver;
  readonly placement: Client<typeof placementContract>;
  readonly ratios: ConfiguredRatios;
  readonly excludeImageTypes: readonly string[];
  readonly logger: Logger;
}

export class ResourceTracker {
  /** Host → fingerprint of what Placement is known to have. */
  private readonly synced = new Map<string, string>();

  constructor(private readonly parts: TrackerParts) {}

  /** The traits that this agent sets on the host's provider. */
  async traits(host: AgentHost): Promise<DesiredTraits> {
    const { driver, excludeImageTypes } = this.parts;
    return desiredTraits({
      capabilities: driver.capabilities(host.host),
      driver: await driver.traits(host.host),
      disabled: host.disabled,
      excludeImageTypes,
    });
  }

  /**
   * Makes the providers be and be right. Rejects when Placement cannot be reached or others keep writing; an update
   * that Placement refuses for its content (inventory in use, say) is logged and tried again with the next refresh.
   */
  async sync(ctx: RequestContext, hosts: readonly AgentHost[]): Promise<void> {
    for (let i = 0; i < hosts.length; i += PROVIDERS_PER_CALL)
      await this.syncPage(ctx, hosts.slice(i, i + PROVIDERS_PER_CALL));
  }

  /** Syncs those of the hosts whose desired state is no longer what was sent. */
  async syncChanged(ctx: RequestContext, hosts: readonly AgentHost[]): Promise<void> {
    const changed: AgentHost[] = [];
    for (const host of hosts)
      if (this.synced.get(host.host) !== fingerprint(await this.desired(host))) changed.push(host);
    if (changed.length > 0) await this.sync(ctx, changed);
  }

  private async syncPage(ctx: RequestContext, hosts: readonly AgentHost[]): Promise<void> {
    const byId = new Map(hosts.map((h) => [h.nodeId, h]));
    let records = await this.ensure(ctx, hosts);
    for (let round = 1; ; round++) {
      const contended = await this.update(ctx, records, byId);
      if (contended.length === 0) return;
      if (round === ROUNDS)
        throw unavailable(`${contended.length} resource providers are being changed by others all the time.`, {
          code: CONCURRENT_UPDATE,
        });
      records = (await this.parts.placement.getProviders(ctx, { providerIds: contended })).providers;
    }
  }

  /** All providers of the hosts, made where they are missing. A name that another provider bears spoils only its own host. */
  private async ensure(ctx: RequestContext, hosts: readonly AgentHost[]): Promise<ProviderRecord[]> {
    const wanted = (h: AgentHost) => ({ providerId: h.nodeId, name: h.node, parentId: null });
    try {
      return (await this.parts.placement.ensureProviders(ctx, { providers: hosts.map(wanted) })).providers;
    } catch (err) {
      if (!isFractusError(err, 'conflict')) throw err;
      const [only] = hosts;
      if (hosts.length === 1 && only) {
        this.parts.logger.error(
          { err, host: only.host, node_id: only.nodeId },
          'placement has another provider of this name; the host gets no resources',
        );
        return [];
      }
      const records: ProviderRecord[] = [];
      for (const host of hosts) records.push(...(await this.ensure(ctx, [host])));
      return records;
    }
  }

  /** Sends what is to change; answers with the providers that others changed meanwhile. */
  private async update(
    ctx: RequestContext,
    records: readonly ProviderRecord[],
    byId: ReadonlyMap<string, AgentHost>,
  ): Promise<string[]> {
    const updates: ProviderUpdate[] = [];
    const prints = new Map<string, string>();
    for (const record of records) {
      const host = byId.get(record.providerId);
      if (!host) continue;
      const desired = await this.desired(host);
      prints.set(record.providerId, fingerprint(desired));
      const update = planUpdate(record, desired, this.parts.ratios);
      if (update) updates.push(update);
    }
    const { results } =
      updates.length > 0 ? await this.parts.placement.updateProviders(ctx, { updates }) : { results: [] };
    const failures = new Map(results.filter((r) => r.error !== undefined).map((r) => [r.providerId, r]));
    for (const [id, print] of prints) this.settle(byId.get(id), print, failures.get(id));
    return [...failures.values()].filter((r) => r.error === CONCURRENT_UPDATE).map((r) => r.providerId);
  }

  private settle(host: AgentHost | undefined, print: string, failure: ProviderUpdateResult | undefined): void {
    if (!host) return;
    if (!failure) return void this.synced.set(host.host, print);
    this.synced.delete(host.host);
    if (failure.error === CONCURRENT_UPDATE) return;
    this.parts.logger.error(
      { host: host.host, code: failure.error, reason: failure.message },
      'placement refused the resources of a host',
    );
  }

  private async desired(host: AgentHost): Promise<Desired> {
    return { inventories: await this.parts.driver.inventory(host.host), traits: await this.traits(host) };
  }
}
