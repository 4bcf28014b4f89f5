import { randomUUID } from 'node:crypto';
import { type Database, isDuplicateKey, openDatabase } from '@fractus/database';
import { STANDARD_RESOURCE_CLASSES } from '@fractus/os-resource-classes';
import { STANDARD_TRAITS } from '@fractus/os-traits';
import { appendChanges, NAMES } from './change-log';
import { CreatePlacementTables1764500100000 } from './migrations/1764500100000-create-placement-tables';
import { TellChangesInTheLog1764700000000 } from './migrations/1764700000000-tell-changes-in-the-log';
import * as rows from './rows';

export const PLACEMENT_ENTITIES = Object.values(rows);
/** In order; a released migration is never edited. */
export const PLACEMENT_MIGRATIONS = [CreatePlacementTables1764500100000, TellChangesInTheLog1764700000000];

/** What the database is made of; tests open it by this. */
export const PLACEMENT_SCHEMA = { entities: PLACEMENT_ENTITIES, migrations: PLACEMENT_MIGRATIONS };

/** Opens placement's own database. `url` as in `openDatabase`. */
export function openPlacementDatabase(options: {
  url: string;
  poolSize?: number;
  migrate?: boolean;
}): Promise<Database> {
  return openDatabase({ ...options, ...PLACEMENT_SCHEMA });
}

/** Brings the standard names and the state row into the database. Safe to run from several processes at once. */
export async function seedPlacement(db: Database, now = Date.now()): Promise<void> {
  const seed = (): Promise<void> => db.transaction((tx) => seedOnce(tx, now));
  await seed().catch((e: unknown) => {
    if (!isDuplicateKey(e)) throw e;
    return seed(); // another process was faster
  });
}

/** After a restore: processes that have read what was there before read everything anew. */
export async function renewEpoch(db: Database): Promise<void> {
  await db.transaction((tx) => tx.execute('UPDATE placement_state SET epoch = ?', [randomUUID()]));
}

async function seedOnce(tx: Parameters<Parameters<Database['transaction']>[0]>[0], now: number): Promise<void> {
  const state = await tx.query('SELECT id FROM placement_state');
  if (state.length === 0) await tx.insert('placement_state', { id: 1, epoch: randomUUID(), trimmed_through: 0 });
  const have = async (table: string): Promise<Set<string>> =>
    new Set((await tx.query<{ name: string }>(`SELECT name FROM ${table}`)).map((r) => r.name));
  const classes = await have('resource_classes');
  const newClasses = STANDARD_RESOURCE_CLASSES.map((name, id) => ({ id, name, updated_at: now })).filter(
    (r) => !classes.has(r.name),
  );
  const traits = await have('traits');
  const newTraits = STANDARD_TRAITS.filter((name) => !traits.has(name)).map((name) => ({ name, updated_at: now }));
  if (newClasses.length) await tx.insert('resource_classes', newClasses);
  if (newTraits.length) await tx.insert('traits', newTraits);
  if (newClasses.length || newTraits.length) await appendChanges(tx, new Map([[NAMES, undefined]]), now);
}
