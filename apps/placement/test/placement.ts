/** A placement without its edges, on a database of its own: the use cases as tests call them. */
import type { Database } from '@fractus/database';
import { openTestSqlite, type OpenTestDatabase } from '@fractus/database/testing';
import { systemContext } from '@fractus/objects';
import { type Inventory, INVENTORY_DEFAULTS } from '../src/domain/provider';
import { EstateReplica } from '../src/replica/estate-replica';
import { AllocationsService } from '../src/services/allocations.service';
import { AggregatesService } from '../src/services/aggregates.service';
import { CandidatesService } from '../src/services/candidates.service';
import { InventoriesService } from '../src/services/inventories.service';
import { PlacementCore } from '../src/services/placement-core';
import { ProvidersService } from '../src/services/providers.service';
import { TraitsService } from '../src/services/traits.service';
import { PLACEMENT_SCHEMA, seedPlacement } from '../src/store/placement-database';

export const ctx = systemContext('req-test');
export const RULES = { reservedMayEqualTotal: true };

export interface World {
  db: Database;
  replica: EstateReplica;
  core: PlacementCore;
  providers: ProvidersService;
  inventories: InventoriesService;
  traits: TraitsService;
  aggregates: AggregatesService;
  allocations: AllocationsService;
  candidates: CandidatesService;
  /** Another process on the same database. */
  replicaOf(): EstateReplica;
  close(): Promise<void>;
}

export async function openWorld(open: OpenTestDatabase = openTestSqlite): Promise<World> {
  const db = await open(PLACEMENT_SCHEMA);
  await seedPlacement(db);
  const replica = new EstateReplica(db);
  const core = new PlacementCore(db, replica);
  return {
    db,
    replica,
    core,
    providers: new ProvidersService(core),
    inventories: new InventoriesService(core),
    traits: new TraitsService(core),
    aggregates: new AggregatesService(core),
    allocations: new AllocationsService(core),
    candidates: new CandidatesService(core),
    replicaOf: () => new EstateReplica(db),
    close: () => db.close(),
  };
}

export const inv = (total: number, more: Partial<Inventory> = {}): Inventory => ({
  ...INVENTORY_DEFAULTS,
  total,
  ...more,
});

/** Provider uuid → resources, as the use cases take it. */
export const holding = (spec: Record<string, Record<string, number>>): Map<string, Map<string, number>> =>
  new Map(Object.entries(spec).map(([uuid, resources]) => [uuid, new Map(Object.entries(resources))]));
