import { Injectable } from '@nestjs/common';
import { type RequestContext, conflict, invalid } from '@fractus/objects';
import type { Inventory } from '../domain/provider';
import { classIdOf, readInventories, replaceInventories } from '../store/provider-rows';
import { CONCURRENT_UPDATE, type LockedProvider, type WriteUnit } from '../store/write-unit';
import type { ConsumerWrite } from './allocations.types';
import { claim } from './claim';
import { PlacementCore } from './placement-core';

export interface ReshapeInventory {
  readonly generation: number;
  readonly inventories: ReadonlyMap<string, Inventory>;
}

/**
 * Moves inventory between providers together with the allocations against it, in one transaction: first the union of
 * old and new inventories, then the allocations, then the new inventories alone.
 */
@Injectable()
export class ReshaperService {
  constructor(private readonly core: PlacementCore) {}

  /** 400 unknown provider or class; 409 generation, capacity, or an inventory that goes while still used. */
  async reshape(
    _ctx: RequestContext,
    inventories: ReadonlyMap<string, ReshapeInventory>,
    writes: readonly ConsumerWrite[],
  ): Promise<void> {
    await this.core.replica.sync();
    await this.core.writeNamed(async (unit) => {
      const { names } = this.core.replica;
      const targets = await this.lockTargets(unit, inventories);
      const wanted = new Map(
        [...targets].map(([provider, given]) => [
          provider,
          new Map([...given.inventories].map(([rc, i]) => [classIdOf(names, rc, 'malformed reshaper data: '), i])),
        ]),
      );
      for (const [provider, byId] of wanted) {
        if (byId.size === 0) continue;
        const present = (await readInventories(unit, [provider.id])).get(provider.id) ?? [];
        await replaceInventories(unit, names, provider, new Map([...present, ...byId]));
        await unit.touch(provider, { generation: true });
      }
      await claim(unit, this.core.replica, writes, (_consumer, problem) => `malformed reshaper data: ${problem}`);
      for (const [provider, byId] of wanted) {
        await replaceInventories(unit, names, provider, byId, 'update conflict: ');
        await unit.touch(provider, { generation: true });
      }
    });
  }

  private async lockTargets(
    unit: WriteUnit,
    inventories: ReadonlyMap<string, ReshapeInventory>,
  ): Promise<Map<LockedProvider, ReshapeInventory>> {
    const ids = new Map<number, ReshapeInventory>();
    for (const [uuid, given] of inventories) {
      const provider = this.core.replica.estate.provider(uuid);
      if (!provider) throw noTarget(uuid);
      ids.set(provider.id, given);
    }
    const locked = await unit.lock(ids.keys());
    const targets = new Map<LockedProvider, ReshapeInventory>();
    for (const [id, given] of ids) {
      const provider = locked.get(id);
      if (!provider) throw noTarget(this.core.replica.estate.providerById(id)?.uuid ?? String(id));
      if (provider.generation !== given.generation) {
        throw conflict(
          `resource provider generation conflict for provider ${provider.uuid}: actual: ${provider.generation}, given: ${given.generation}`,
          { code: CONCURRENT_UPDATE },
        );
      }
      targets.set(provider, given);
    }
    return targets;
  }
}

const noTarget = (uuid: string): Error =>
  invalid(`Resource provider ${uuid} in inventories not found: No resource provider with uuid ${uuid} found.`, {
    code: 'placement.resource_provider.not_found',
  });
