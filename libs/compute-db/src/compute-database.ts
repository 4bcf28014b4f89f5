import { type Database, openDatabase } from '@fractus/database';
import { CreateComputeTables1764500000000 } from './migrations/1764500000000-create-compute-tables';
import { ShareTasksAmongConductors1764600000000 } from './migrations/1764600000000-share-tasks-among-conductors';
import * as rows from './rows';

export const COMPUTE_ENTITIES = Object.values(rows);
/** In order; a released migration is never edited. */
export const COMPUTE_MIGRATIONS = [CreateComputeTables1764500000000, ShareTasksAmongConductors1764600000000];

/** What the database is made of; tests open it by this. */
export const COMPUTE_SCHEMA = { entities: COMPUTE_ENTITIES, migrations: COMPUTE_MIGRATIONS };

/** Opens the compute database. `url` as in `openDatabase`. */
export function openComputeDatabase(options: { url: string; poolSize?: number; migrate?: boolean }): Promise<Database> {
  return openDatabase({ ...options, ...COMPUTE_SCHEMA });
}
