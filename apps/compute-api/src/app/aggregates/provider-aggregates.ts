import type { ServicesRepository } from '@fractus/compute-db';
import { conflict, type RequestContext } from '@fractus/objects';
import type { Client, placementContract, ProviderRecord } from '@fractus/rpc-contracts';

export interface ProviderAggregatesDeps {
  readonly services: Pick<ServicesRepository, 'nodeIdsOf'>;
  readonly placement: Pick<Client<typeof placementContract>, 'getProviders' | 'updateProviders'>;
}

const ATTEMPTS = 4;
const MOVED = 'placement.concurrent_update';

/**
 * Keeps placement's aggregates in step with ours, so that a query can ask for `member_of`. Only the one aggregate is
 * touched: providers may be in others that are none of ours.
 */
export class ProviderAggregates {
  constructor(private readonly deps: ProviderAggregatesDeps) {}

  add(ctx: RequestContext, host: string, aggregate: string): Promise<void> {
    return this.change(ctx, host, (all) => (all.includes(aggregate) ? all : [...all, aggregate]));
  }

  remove(ctx: RequestContext, host: string, aggregate: string): Promise<void> {
    return this.change(ctx, host, (all) => (all.includes(aggregate) ? all.filter((a) => a !== aggregate) : all));
  }

  /** Read, change, write with the generation that was read; again when another writer came between. */
  private async change(ctx: RequestContext, host: string, change: (all: string[]) => string[]): Promise<void> {
    let left = await this.deps.services.nodeIdsOf(host);
    for (let attempt = 0; attempt < ATTEMPTS && left.length > 0; attempt++) {
      const { providers } = await this.deps.placement.getProviders(ctx, { providerIds: left });
      const updates = providers.flatMap((p) => updateOf(p, change));
      if (updates.length === 0) return;
      const { results } = await this.deps.placement.updateProviders(ctx, { updates });
      const failed = results.filter((r) => r.error !== undefined);
      const other = failed.find((r) => r.error !== MOVED);
      if (other)
        throw conflict(other.message ?? `placement refused: ${other.error ?? ''}`, {
          code: other.error ?? 'placement',
        });
      left = failed.map((r) => r.providerId);
    }
    if (left.length > 0)
      throw conflict(`The resource provider of host ${host} is being changed by others; try again.`, { code: MOVED });
  }
}

function updateOf(
  provider: ProviderRecord,
  change: (all: string[]) => string[],
): { providerId: string; generation: number; aggregates: string[] }[] {
  const aggregates = change(provider.aggregates);
  const { providerId, generation } = provider;
  return aggregates === provider.aggregates ? [] : [{ providerId, generation, aggregates }];
}
