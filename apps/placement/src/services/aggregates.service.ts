import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@fractus/objects';
import type { Provider } from '../domain/provider';
import { replaceAggregates } from '../store/provider-rows';
import { checkGeneration } from '../store/write-unit';
import { PlacementCore } from './placement-core';
import { GENERATION_MOVED } from './traits.service';

@Injectable()
export class AggregatesService {
  constructor(private readonly core: PlacementCore) {}

  async ofProvider(_ctx: RequestContext, uuid: string): Promise<Provider> {
    return this.core.get(uuid);
  }

  /** Replaces the provider's aggregates. With a generation it is checked and grows; without (before 1.19) neither. */
  async setOnProvider(
    _ctx: RequestContext,
    uuid: string,
    aggregates: readonly string[],
    generation?: number,
  ): Promise<number> {
    return this.core.write(async (unit) => {
      const provider = await unit.lockByUuid(uuid);
      if (generation !== undefined) checkGeneration(provider, generation, GENERATION_MOVED);
      await replaceAggregates(unit, provider, new Set(aggregates));
      await unit.touch(provider, { generation: generation !== undefined });
      return provider.generation;
    });
  }
}
