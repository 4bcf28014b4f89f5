/**
 * The claim: replaces what consumers hold, all or nothing.
 *
 * Consumers are locked first (in order of uuid), then every provider that is taken from or given back to (in order of
 * id), and only then usage is read: no two claims can both see the same free unit. Upstream checks a generation that it
 * read before and retries the check alone; that is how it over-commits.
 *
 * Each lock is taken by the write that is wanted anyway, and a refused claim is rolled back with all of them.
 */
import { placeholders } from '@fractus/database';
import { conflict, invalid } from '@fractus/objects';
import { capacityOf, unitFault } from '../domain/capacity';
import type { EstateReplica } from '../replica/estate-replica';
import { type ConsumerRow, type HeldRow, deleteConsumerRows, raiseFence, saveConsumers } from '../store/consumers';
import { type TakenProvider, takeProviders } from '../store/stock';
import { CONCURRENT_UPDATE, type WriteUnit } from '../store/write-unit';
import type { Consumer, ConsumerWrite } from './allocations.types';

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

/** What the consumers hold now; those that hold nothing are left out. */
export async function claim(
  unit: WriteUnit,
  replica: EstateReplica,
  writes: readonly ConsumerWrite[],
  told: Wording = PUT_WORDING,
): Promise<Consumer[]> {
  const rows = await saveConsumers(unit, writes);
  for (const write of writes) checkConsumer(write, rows.get(write.uuid));
  for (const write of writes) if (write.owner) await raiseFence(unit, write.uuid, write.owner);
  const wanted = writes.flatMap((write) => resolve(replica, write, told));
  const held = [...rows.values()].flatMap((r) => r.held);
  const providers = await takeProviders(
    unit,
    [...wanted.map((w) => w.providerId), ...held.map((h) => h.providerId)],
    bumpedBy(writes, wanted, rows),
    new Set(wanted.map((w) => w.classId)),
  );
  // the same id may be another provider's meanwhile, where the database hands ids out again
  for (const w of wanted)
    if (providers.get(w.providerId)?.uuid !== w.providerUuid) throw noSuchProvider(w.providerUuid);
  checkRoom(wanted, held, providers);
  await replaceRows(unit, wanted, rows, held);
  tellUsage(unit, wanted, held, providers);
  const holders = new Set(wanted.map((w) => w.consumer.uuid));
  await deleteConsumerRows(
    unit,
    writes.filter((w) => !holders.has(w.uuid)).map((w) => rows.get(w.uuid)?.id ?? 0),
  );
  return [...rows.values()].filter((r) => holders.has(r.uuid)).map((r) => toConsumer(r, wanted, providers, unit.now));
}

function checkConsumer(write: ConsumerWrite, row: ConsumerRow | undefined): void {
  if (write.generation === undefined) return;
  // a row that was just made has generation 0; one that holds anything is past it
  const actual = row && row.generation > 0 ? row.generation : null;
  if (actual === write.generation) return;
  // upstream's words, which clients look for: what it did not expect to exist is null, what it was not given None
  throw conflict(`consumer generation conflict - expected ${actual} but got ${write.generation ?? 'None'}`, {
    code: CONCURRENT_UPDATE,
  });
}

/** Codes of the 400 for a provider and a class that do not exist. */
export const UNKNOWN_PROVIDER = 'provider.unknown';
export const UNKNOWN_CLASS = 'resource_class.unknown';

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
        throw invalid(told(write.uuid, `No such resource class ${resourceClass}.`), { code: UNKNOWN_CLASS });
      wanted.push({ consumer: write, providerId: provider.id, providerUuid, classId, resourceClass, amount });
    }
  }
  return wanted;
}

/** Whose generation grows: those taken from, and those given back to by a consumer that gives up everything. */
function bumpedBy(
  writes: readonly ConsumerWrite[],
  wanted: readonly Wanted[],
  rows: ReadonlyMap<string, ConsumerRow>,
): Set<number> {
  const leaving = writes.filter((w) => w.allocations.size === 0).flatMap((w) => rows.get(w.uuid)?.held ?? []);
  return new Set([...wanted.map((w) => w.providerId), ...leaving.map((h) => h.providerId)]);
}

function checkRoom(
  wanted: readonly Wanted[],
  held: readonly HeldRow[],
  providers: ReadonlyMap<number, TakenProvider>,
): void {
  const freed = new Map<string, number>();
  for (const h of held)
    freed.set(key(h.providerId, h.classId), (freed.get(key(h.providerId, h.classId)) ?? 0) + h.used);
  const taken = new Map<string, number>();
  for (const w of wanted) {
    const id = key(w.providerId, w.classId);
    const found = providers.get(w.providerId)?.stock.get(w.classId);
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
  const holders = [...new Set(held.map((h) => h.consumerId))];
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

function tellUsage(
  unit: WriteUnit,
  wanted: readonly Wanted[],
  held: readonly HeldRow[],
  providers: ReadonlyMap<number, TakenProvider>,
): void {
  for (const { id: providerId, rootId, revision, generation } of providers.values()) {
    const deltas = new Map<number, number>();
    const add = (classId: number, units: number): void => void deltas.set(classId, (deltas.get(classId) ?? 0) + units);
    for (const h of held) if (h.providerId === providerId) add(h.classId, -h.used);
    for (const w of wanted) if (w.providerId === providerId) add(w.classId, w.amount);
    unit.usageChanged(rootId, { providerId, revision, generation, deltas });
  }
}

function toConsumer(
  { uuid, generation, consumerType }: ConsumerRow,
  wanted: readonly Wanted[],
  providers: ReadonlyMap<number, TakenProvider>,
  updatedAt: number,
): Consumer {
  const own = wanted.filter((w) => w.consumer.uuid === uuid);
  const { projectId = '', userId = '' } = own[0]?.consumer ?? {};
  const allocations = new Map<string, { generation: number; resources: Map<string, number> }>();
  for (const w of own) {
    let at = allocations.get(w.providerUuid);
    if (!at) {
      at = { generation: providers.get(w.providerId)?.generation ?? 0, resources: new Map() };
      allocations.set(w.providerUuid, at);
    }
    at.resources.set(w.resourceClass, w.amount);
  }
  return { uuid, generation: generation + 1, projectId, userId, consumerType, updatedAt, allocations };
}
