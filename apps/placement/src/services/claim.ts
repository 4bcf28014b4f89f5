/**
 * The claim: replaces what consumers hold, all or nothing.
 *
 * Consumers are locked first (in order of uuid), then every provider that is taken from or given back to (in order of
 * id), and only then usage is read: no two claims can both see the same free unit. Upstream checks a generation that it
 * read before and retries the check alone; that is how it over-commits.
 */
import { placeholders } from '@fractus/database';
import { conflict, invalid } from '@fractus/objects';
import { capacityOf, unitFault } from '../domain/capacity';
import type { Inventory } from '../domain/provider';
import type { EstateReplica } from '../replica/estate-replica';
import { CONCURRENT_UPDATE, type LockedProvider, type WriteUnit } from '../store/write-unit';
import { readInventories } from '../store/provider-rows';
import {
  type ConsumerRow,
  type HeldRow,
  deleteConsumerRows,
  lockConsumers,
  raiseFence,
  readHeld,
  saveConsumers,
} from '../store/consumers';
import type { ConsumerWrite } from './allocations.types';

/** One allocation row to be. */
interface Wanted {
  readonly consumer: ConsumerWrite;
  readonly providerId: number;
  readonly providerUuid: string;
  readonly classId: number;
  readonly resourceClass: string;
  readonly amount: number;
}

const key = (providerId: number, classId: number): string => `${providerId}/${classId}`;

export async function claim(
  unit: WriteUnit,
  replica: EstateReplica,
  writes: readonly ConsumerWrite[],
  told: Wording = PUT_WORDING,
): Promise<void> {
  const rows = await lockConsumers(unit, writes);
  for (const write of writes) checkConsumer(write, rows.get(write.uuid));
  for (const write of writes) if (write.owner) await raiseFence(unit, write.uuid, write.owner);
  const wanted = writes.flatMap((write) => resolve(replica, write, told));
  const old = [...rows.values()].filter((r) => r.generation > 0);
  const held = await readHeld(
    unit,
    old.map((r) => r.id),
  );
  const locked = await unit.lock([...wanted.map((w) => w.providerId), ...held.map((h) => h.provider_id)]);
  for (const w of wanted) if (!locked.has(w.providerId)) throw noSuchProvider(w.providerUuid);
  await checkRoom(unit, wanted, held);
  await replaceRows(unit, wanted, rows, held);
  await touchProviders(unit, writes, wanted, rows, held, locked);
  const holders = new Set(wanted.map((w) => w.consumer.uuid));
  await saveConsumers(
    unit,
    writes.filter((w) => holders.has(w.uuid)),
    rows,
  );
  await deleteConsumerRows(
    unit,
    writes.filter((w) => !holders.has(w.uuid)).map((w) => rows.get(w.uuid)?.id ?? 0),
  );
}

function checkConsumer(write: ConsumerWrite, row: ConsumerRow | undefined): void {
  if (write.generation === undefined) return;
  // a row that was just made has generation 0; one that holds anything is past it
  const actual = row && row.generation > 0 ? row.generation : null;
  if (actual === write.generation) return;
  throw conflict(`consumer generation conflict - expected ${actual} but got ${write.generation}`, {
    code: CONCURRENT_UPDATE,
  });
}

/** Code of the 400 for a provider that does not exist. */
export const UNKNOWN_PROVIDER = 'provider.unknown';

const noSuchProvider = (uuid: string): Error =>
  invalid(`Allocation for resource provider '${uuid}' that does not exist.`, { code: UNKNOWN_PROVIDER });

/** How an unknown resource class is told, which depends on the call. */
export type Wording = (consumerUuid: string, problem: string) => string;
export const PUT_WORDING: Wording = (consumerUuid, problem) =>
  `Unable to allocate inventory for consumer ${consumerUuid}: ${problem}`;
export const POST_WORDING: Wording = (_consumerUuid, problem) => `Unable to allocate inventory ${problem}`;

function resolve(replica: EstateReplica, write: ConsumerWrite, told: Wording): Wanted[] {
  const wanted: Wanted[] = [];
  for (const [providerUuid, resources] of write.allocations) {
    const provider = replica.estate.provider(providerUuid);
    if (!provider) throw noSuchProvider(providerUuid);
    for (const [resourceClass, amount] of resources) {
      const classId = replica.names.classes.id(resourceClass);
      if (classId === undefined)
        throw invalid(told(write.uuid, `No such resource class ${resourceClass}.`), { code: 'resource_class.unknown' });
      wanted.push({ consumer: write, providerId: provider.id, providerUuid, classId, resourceClass, amount });
    }
  }
  return wanted;
}

interface Stock {
  readonly inventory: Inventory;
  readonly used: number;
}

/** Reads what the locked providers have and use, by provider and class. */
async function readStock(unit: WriteUnit, providerIds: readonly number[]): Promise<Map<string, Stock>> {
  const usages = await unit.tx.query<{ provider_id: number; resource_class_id: number; used: number }>(
    `SELECT provider_id, resource_class_id, SUM(used) AS used FROM allocations WHERE provider_id IN (${placeholders(providerIds)}) GROUP BY provider_id, resource_class_id`,
    [...providerIds],
  );
  const used = new Map(usages.map((u) => [key(Number(u.provider_id), Number(u.resource_class_id)), Number(u.used)]));
  const stock = new Map<string, Stock>();
  for (const [providerId, byClass] of await readInventories(unit, providerIds)) {
    for (const [classId, inventory] of byClass) {
      const id = key(providerId, classId);
      stock.set(id, { inventory, used: used.get(id) ?? 0 });
    }
  }
  return stock;
}

async function checkRoom(unit: WriteUnit, wanted: readonly Wanted[], held: readonly HeldRow[]): Promise<void> {
  if (wanted.length === 0) return;
  const stock = await readStock(unit, [...new Set(wanted.map((w) => w.providerId))]);
  const freed = new Map<string, number>();
  for (const h of held)
    freed.set(
      key(h.provider_id, h.resource_class_id),
      (freed.get(key(h.provider_id, h.resource_class_id)) ?? 0) + h.used,
    );
  const taken = new Map<string, number>();
  for (const w of wanted) {
    const id = key(w.providerId, w.classId);
    const found = stock.get(id);
    if (!found)
      throw conflict(
        `Unable to allocate inventory: Inventory for '${w.resourceClass}' on resource provider '${w.providerUuid}' invalid.`,
        { code: 'inventory.missing' },
      );
    const where = `'${w.resourceClass}' on resource provider '${w.providerUuid}'`;
    if (unitFault(found.inventory, w.amount)) {
      throw conflict(
        `Unable to allocate inventory: Unable to create allocation for ${where}. The requested amount would violate inventory constraints.`,
        { code: 'inventory.constraints' },
      );
    }
    const sum = (taken.get(id) ?? 0) + w.amount;
    taken.set(id, sum);
    const after = found.used - (freed.get(id) ?? 0) + sum;
    // more than fits is still allowed when it is no more than before: the way out of an overfull provider
    if (after > capacityOf(found.inventory) && after > found.used) {
      throw conflict(
        `Unable to allocate inventory: Unable to create allocation for ${where}. The requested amount would exceed the capacity.`,
        {
          code: 'inventory.capacity',
          details: {
            provider: w.providerUuid,
            resourceClass: w.resourceClass,
            have: capacityOf(found.inventory) - found.used,
            need: w.amount,
          },
        },
      );
    }
  }
}

async function replaceRows(
  unit: WriteUnit,
  wanted: readonly Wanted[],
  rows: ReadonlyMap<string, ConsumerRow>,
  held: readonly HeldRow[],
): Promise<void> {
  const holders = [...new Set(held.map((h) => h.consumer_id))];
  if (holders.length)
    await unit.tx.execute(`DELETE FROM allocations WHERE consumer_id IN (${placeholders(holders)})`, holders);
  const fresh = wanted.map((w) => ({
    consumer_id: rows.get(w.consumer.uuid)?.id ?? 0,
    provider_id: w.providerId,
    resource_class_id: w.classId,
    used: w.amount,
    updated_at: unit.now,
  }));
  if (fresh.length) await unit.tx.insert('allocations', fresh);
}

/** The generation grows of providers that are taken from, or given back to by a consumer that gives up everything. */
async function touchProviders(
  unit: WriteUnit,
  writes: readonly ConsumerWrite[],
  wanted: readonly Wanted[],
  rows: ReadonlyMap<string, ConsumerRow>,
  held: readonly HeldRow[],
  locked: ReadonlyMap<number, LockedProvider>,
): Promise<void> {
  const leaving = new Set(writes.filter((w) => w.allocations.size === 0).map((w) => rows.get(w.uuid)?.id));
  const bumped = new Set(wanted.map((w) => w.providerId));
  for (const h of held) if (leaving.has(h.consumer_id)) bumped.add(h.provider_id);
  for (const provider of locked.values()) await unit.touch(provider, { generation: bumped.has(provider.id) });
}
