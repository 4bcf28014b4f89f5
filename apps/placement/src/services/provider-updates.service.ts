import { Injectable } from '@nestjs/common';
import { type FractusError, type RequestContext, isFractusError } from '@fractus/objects';
import type { Inventory } from '../domain/provider';
import { classIdOf, replaceAggregates, replaceInventories, replaceTraits } from '../store/provider-rows';
import { checkGeneration } from '../store/write-unit';
import { checkCapacity } from './inventories.service';
import { PlacementCore } from './placement-core';
import { ResourceClassesService } from './resource-classes.service';
import { TraitsService } from './traits.service';

/** What is left out stays as it is. */
export interface ProviderChange {
  readonly uuid: string;
  readonly generation: number;
  readonly inventories?: ReadonlyMap<string, Inventory>;
  readonly traits?: readonly string[];
  readonly aggregates?: readonly string[];
}

/** Sets inventories, traits and aggregates of a provider in one transaction: what a host reports of itself. */
@Injectable()
export class ProviderUpdatesService {
  constructor(
    private readonly core: PlacementCore,
    private readonly traits: TraitsService,
    private readonly classes: ResourceClassesService,
  ) {}

  /**
   * One after the other, each in a transaction of its own; answers each with its new generation (which grows by one,
   * whatever is set) or with what was wrong. Custom traits and classes that are new come into being.
   */
  async applyAll(_ctx: RequestContext, changes: readonly ProviderChange[]): Promise<(number | FractusError)[]> {
    await this.traits.ensureCustom(changes.flatMap((c) => c.traits ?? []));
    await this.classes.ensureCustom(changes.flatMap((c) => [...(c.inventories?.keys() ?? [])]));
    const results: (number | FractusError)[] = [];
    for (const change of changes) {
      const result = await this.apply(change).catch((e: unknown) => {
        if (isFractusError(e)) return e;
        throw e;
      });
      results.push(result);
    }
    return results;
  }

  private apply(change: ProviderChange): Promise<number> {
    return this.core.writeNamed(async (unit) => {
      const { names } = this.core.replica;
      const provider = await unit.lockByUuid(change.uuid);
      checkGeneration(provider, change.generation);
      if (change.inventories) {
        const byId = new Map<number, Inventory>();
        for (const [rc, inventory] of change.inventories) {
          checkCapacity(change.uuid, rc, inventory, { reservedMayEqualTotal: true }, 'update');
          byId.set(classIdOf(names, rc), inventory);
        }
        await replaceInventories(unit, names, provider, byId);
      }
      if (change.traits) await replaceTraits(unit, names, provider, this.traits.idsOf(change.traits));
      if (change.aggregates) await replaceAggregates(unit, provider, new Set(change.aggregates));
      await unit.touch(provider, { generation: true });
      return provider.generation;
    });
  }
}
