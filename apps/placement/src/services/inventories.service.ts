import { Injectable } from '@nestjs/common';
import { type RequestContext, conflict, invalid, notFound } from '@fractus/objects';
import { capacityOf } from '../domain/capacity';
import type { Inventory, Provider } from '../domain/provider';
import {
  classIdOf,
  deleteInventories,
  insertInventories,
  inventoryClassIds,
  refuseInUse,
  replaceInventories,
} from '../store/provider-rows';
import { CONCURRENT_UPDATE, type LockedProvider, checkGeneration } from '../store/write-unit';
import { PlacementCore } from './placement-core';

export interface InventoryRules {
  /** From 1.26 reserved may equal total. */
  readonly reservedMayEqualTotal: boolean;
}

@Injectable()
export class InventoriesService {
  constructor(private readonly core: PlacementCore) {}

  /** The provider with its inventories; 404 if there is no such provider. */
  async of(_ctx: RequestContext, uuid: string): Promise<Provider> {
    return this.core.get(uuid);
  }

  /** Replaces all. 409 generation or a class in use that would go, 400 unknown class or no capacity. Answers the new generation. */
  async replace(
    _ctx: RequestContext,
    uuid: string,
    generation: number,
    inventories: ReadonlyMap<string, Inventory>,
    rules: InventoryRules,
  ): Promise<number> {
    return this.change(uuid, async (provider, unit) => {
      checkGeneration(provider, generation);
      const byId = new Map<number, Inventory>();
      for (const [rc, inventory] of inventories) {
        byId.set(
          classIdOf(this.core.replica.names, rc, `Unknown resource class in inventory for resource provider ${uuid}: `),
          inventory,
        );
      }
      for (const [rc, inventory] of inventories) checkCapacity(uuid, rc, inventory, rules, 'update');
      await replaceInventories(unit, this.core.replica.names, provider, byId, 'update conflict: ');
    });
  }

  /** Adds one; 409 if the provider has it. */
  async add(
    _ctx: RequestContext,
    uuid: string,
    resourceClass: string,
    inventory: Inventory,
    rules: InventoryRules,
  ): Promise<number> {
    return this.change(uuid, async (provider, unit) => {
      checkCapacity(uuid, resourceClass, inventory, rules, 'create');
      const classId = classIdOf(
        this.core.replica.names,
        resourceClass,
        `Unable to create inventory for resource provider ${uuid}: `,
      );
      if ((await inventoryClassIds(unit, provider)).includes(classId)) {
        throw conflict(`Update conflict: resource provider ${uuid} has inventory of class ${resourceClass} already.`, {
          code: CONCURRENT_UPDATE,
        });
      }
      await insertInventories(unit, this.core.replica.names, provider, new Map([[classId, inventory]]));
    });
  }

  /** Replaces one that exists; 400 if it does not, 409 generation. */
  async update(
    _ctx: RequestContext,
    uuid: string,
    resourceClass: string,
    generation: number,
    inventory: Inventory,
    rules: InventoryRules,
  ): Promise<number> {
    return this.change(uuid, async (provider, unit) => {
      checkGeneration(provider, generation);
      checkCapacity(uuid, resourceClass, inventory, rules, 'update');
      const classId = this.core.replica.names.classes.id(resourceClass);
      if (classId === undefined || !(await inventoryClassIds(unit, provider)).includes(classId)) {
        throw invalid(
          `No inventory record with resource class for resource provider ${uuid}: there is none of ${resourceClass}.`,
          { code: 'inventory.unknown' },
        );
      }
      await deleteInventories(unit, provider, [classId]);
      await insertInventories(unit, this.core.replica.names, provider, new Map([[classId, inventory]]));
    });
  }

  /** Removes one; 404 if there is none, 409 while it is used. */
  async remove(_ctx: RequestContext, uuid: string, resourceClass: string): Promise<void> {
    await this.change(uuid, async (provider, unit) => {
      const classId = this.core.replica.names.classes.id(resourceClass);
      if (classId === undefined || !(await inventoryClassIds(unit, provider)).includes(classId)) {
        throw notFound(`No inventory of class ${resourceClass} found for delete: resource provider ${uuid} has none.`, {
          code: 'inventory.unknown',
        });
      }
      await refuseInUse(
        unit,
        this.core.replica.names,
        provider,
        [classId],
        `Unable to delete inventory of class ${resourceClass}: `,
      );
      await deleteInventories(unit, provider, [classId]);
    });
  }

  /** Removes all; 409 while any is used. */
  async removeAll(_ctx: RequestContext, uuid: string): Promise<void> {
    await this.change(uuid, (provider, unit) => replaceInventories(unit, this.core.replica.names, provider, new Map()));
  }

  private async change(
    uuid: string,
    block: (provider: LockedProvider, unit: Parameters<Parameters<PlacementCore['write']>[0]>[0]) => Promise<void>,
  ): Promise<number> {
    return this.core.writeNamed(async (unit) => {
      const provider = await unit.lockByUuid(uuid);
      await block(provider, unit);
      await unit.touch(provider, { generation: true });
      return provider.generation;
    });
  }
}

export function checkCapacity(
  uuid: string,
  resourceClass: string,
  inventory: Inventory,
  rules: InventoryRules,
  verb: 'create' | 'update',
): void {
  const capacity = capacityOf(inventory);
  if (capacity > 0 || (capacity === 0 && rules.reservedMayEqualTotal)) return;
  const limit = rules.reservedMayEqualTotal ? 'greater than total' : 'greater than or equal to total';
  throw invalid(
    `Unable to ${verb} inventory for resource provider ${uuid}: Invalid inventory for '${resourceClass}' on resource provider '${uuid}'. The reserved value is ${limit}.`,
    { code: 'inventory.capacity' },
  );
}
