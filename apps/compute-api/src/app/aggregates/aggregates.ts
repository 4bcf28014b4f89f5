import { randomUUID } from 'node:crypto';
import {
  ZONE_KEY,
  type Aggregate,
  type AggregatesRepository,
  type HostsRepository,
  type HypervisorsRepository,
} from '@fractus/compute-db';
import { conflict, invalid, isFractusError, notFound, type RequestContext } from '@fractus/objects';
import type { Client, schedulerNews } from '@fractus/rpc-contracts';
import type { Logger } from '@fractus/telemetry';
import type { ProviderAggregates } from './provider-aggregates';

export interface AggregatesDeps {
  readonly aggregates: AggregatesRepository;
  readonly hosts: Pick<HostsRepository, 'computeService'>;
  readonly hypervisors: Pick<HypervisorsRepository, 'serversOn'>;
  readonly providers: ProviderAggregates;
  readonly news: Pick<Client<typeof schedulerNews>, 'aggregatesChanged'>;
  readonly logger: Logger;
  readonly now: () => number;
}

export type MetadataChange = Readonly<Record<string, string | null>>;

/**
 * Host aggregates. A server never changes its availability zone by what an operator does here: whatever would move a
 * host that holds servers to another zone is refused (upstream bug 1782539).
 */
export class Aggregates {
  constructor(private readonly deps: AggregatesDeps) {}

  list(): Promise<Aggregate[]> {
    return this.deps.aggregates.list();
  }

  get(id: number): Promise<Aggregate> {
    return this.deps.aggregates.get(id);
  }

  /** `conflict` when the name is taken. */
  async create(ctx: RequestContext, name: string, zone: string | null): Promise<Aggregate> {
    const metadata: Record<string, string> = zone === null ? {} : { [ZONE_KEY]: zone };
    const made = await this.deps.aggregates.create({ uuid: randomUUID(), name, metadata }, this.deps.now());
    await this.spread(ctx, made);
    return made;
  }

  /** `conflict` when the name is taken; `invalid` when the zone cannot change. */
  async update(
    ctx: RequestContext,
    id: number,
    change: { name?: string; metadata?: MetadataChange },
  ): Promise<Aggregate> {
    const before = await this.deps.aggregates.get(id);
    await this.checkZoneChange(before, change.metadata ?? {});
    const after = await this.deps.aggregates.update(id, change, this.deps.now()).catch((e: unknown) => {
      throw isFractusError(e) && e.code === 'aggregate.zone_conflict'
        ? invalid(e.message, { code: e.code, cause: e })
        : e;
    });
    await this.spread(ctx, after);
    return after;
  }

  /** `invalid` while it has hosts. */
  async delete(ctx: RequestContext, id: number): Promise<void> {
    const before = await this.deps.aggregates.get(id);
    await this.deps.aggregates.delete(id).catch((e: unknown) => {
      throw isFractusError(e) && e.code === 'aggregate.not_empty' ? invalid(e.message, { code: e.code, cause: e }) : e;
    });
    await this.spread(ctx, before);
  }

  /** `not_found`: aggregate or host. `conflict`: the host is in it already, or its zone would change. */
  async addHost(ctx: RequestContext, id: number, host: string): Promise<Aggregate> {
    await this.assertHost(host);
    const before = await this.deps.aggregates.get(id);
    const zone = before.metadata[ZONE_KEY];
    if (zone !== undefined) await this.checkServersStay(host, zone, await this.zoneOf(host, null));
    const after = await this.deps.aggregates.addHost(id, host, this.deps.now());
    await this.deps.providers.add(ctx, host, after.uuid).catch((err: unknown) => {
      this.deps.logger.warn(
        { err, host, aggregate: after.uuid, request_id: ctx.requestId },
        'the aggregate could not be set in placement',
      );
    });
    await this.spread(ctx, after);
    return after;
  }

  /** `not_found`: aggregate, host, or the host in it. `conflict`: the host's zone would change, or placement refuses. */
  async removeHost(ctx: RequestContext, id: number, host: string): Promise<Aggregate> {
    const before = await this.deps.aggregates.get(id).catch((e: unknown) => {
      if (isFractusError(e, 'not_found')) return null;
      throw e;
    });
    if (!before?.hosts.includes(host)) {
      throw notFound(`Cannot remove host ${host} in aggregate ${id}`, { code: 'aggregate.host_not_found' });
    }
    const zone = before.metadata[ZONE_KEY];
    if (zone !== undefined) await this.checkServersStay(host, await this.zoneOf(host, id), zone);
    // placement first: were it last and it failed, the operator could not ask for it again
    await this.deps.providers.remove(ctx, host, before.uuid);
    const after = await this.deps.aggregates.removeHost(id, host, this.deps.now());
    await this.spread(ctx, after);
    return after;
  }

  /** Fetching images to hosts ahead of need. No driver can do it yet, and a request that nothing will follow is refused. */
  async cacheImages(id: number, imageIds: readonly string[]): Promise<never> {
    if (new Set(imageIds).size !== imageIds.length)
      throw invalid('Duplicate images in request', { code: 'aggregate.images' });
    await this.deps.aggregates.get(id);
    throw invalid('No compute driver of this cloud can cache images ahead of need.', {
      code: 'driver.image_cache',
    });
  }

  private async checkZoneChange(aggregate: Aggregate, metadata: MetadataChange): Promise<void> {
    if (!(ZONE_KEY in metadata)) return;
    const zone = metadata[ZONE_KEY];
    if (!zone) {
      throw invalid(`Aggregate ${aggregate.name} does not support an empty availability zone.`, {
        code: 'aggregate.zone_empty',
      });
    }
    if (zone === aggregate.metadata[ZONE_KEY]) return;
    const servers = await this.deps.hypervisors.serversOn(aggregate.hosts);
    const occupied = aggregate.hosts.filter((h) => (servers.get(h) ?? []).length > 0);
    if (occupied.length === 0) return;
    throw invalid(`The availability zone cannot change while there are servers on ${occupied.join(', ')}.`, {
      code: 'aggregate.zone_occupied',
      details: { hosts: occupied },
    });
  }

  private async checkServersStay(host: string, to: string | null, from: string | null): Promise<void> {
    if (to === from) return;
    const count = (await this.deps.hypervisors.serversOn([host])).get(host)?.length ?? 0;
    if (count === 0) return;
    const zone = (name: string | null): string => (name === null ? 'none' : `'${name}'`);
    const message = `The availability zone of host ${host} would change from ${zone(from)} to ${zone(to)}, but it has ${count} server(s). Move them away first.`;
    throw conflict(message, { code: 'aggregate.zone_occupied', details: { host, servers: count } });
  }

  /** The zone a host is in by aggregates, one of them left out if asked. */
  private async zoneOf(host: string, without: number | null): Promise<string | null> {
    const all = await this.deps.aggregates.list();
    const own = all.find((a) => a.id !== without && a.hosts.includes(host) && a.metadata[ZONE_KEY] !== undefined);
    return own?.metadata[ZONE_KEY] ?? null;
  }

  private async assertHost(host: string): Promise<void> {
    const service = await this.deps.hosts.computeService(host);
    // a database that compares without case must not let one host stand for another
    if (service?.host !== host) throw notFound(`Compute host ${host} could not be found.`, { code: 'host.not_found' });
  }

  private async spread(ctx: RequestContext, { uuid }: Aggregate): Promise<void> {
    await this.deps.news.aggregatesChanged(ctx, { aggregates: [uuid] }).catch((err: unknown) => {
      this.deps.logger.warn(
        { err, aggregate: uuid, request_id: ctx.requestId },
        'schedulers could not be told of a changed aggregate',
      );
    });
  }
}
