import { type Database, isDuplicateKey, type SqlRow, type SqlValue } from '@fractus/database';
import { conflict, invalid, notFound } from '@fractus/objects';
import type { FlavorRow } from './rows';
import { assignments } from './sql';

/** What a server is made of. Memory and swap in MiB, disks in GiB, instants in epoch milliseconds. */
export interface Flavor {
  readonly id: number;
  /** The id that clients see. */
  readonly flavorId: string;
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly rootGb: number;
  readonly ephemeralGb: number;
  readonly swapMb: number;
  readonly rxtxFactor: number;
  readonly disabled: boolean;
  readonly isPublic: boolean;
  readonly description: string | null;
  readonly extraSpecs: Readonly<Record<string, string>>;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

export type NewFlavor = Omit<Flavor, 'id' | 'createdAt' | 'updatedAt'>;

/** Keys that lists may be sorted by, as clients write them, and the column of each. */
export const FLAVOR_SORT_COLUMNS = {
  created_at: 'created_at',
  description: 'description',
  disabled: 'disabled',
  ephemeral_gb: 'ephemeral_gb',
  flavorid: 'flavor_id',
  id: 'id',
  is_public: 'is_public',
  memory_mb: 'memory_mb',
  name: 'name',
  root_gb: 'root_gb',
  rxtx_factor: 'rxtx_factor',
  swap: 'swap_mb',
  updated_at: 'updated_at',
  vcpus: 'vcpus',
} as const;
export type FlavorSortKey = keyof typeof FLAVOR_SORT_COLUMNS;

export interface FlavorFilters {
  /** Null: both. True also shows private flavors that `projectId` may use. */
  readonly isPublic: boolean | null;
  readonly projectId: string | null;
  readonly disabled?: boolean;
  readonly minMemoryMb?: number;
  readonly minRootGb?: number;
  /** A part of the name. */
  readonly name?: string;
}

export interface FlavorPage {
  readonly sort: { readonly key: FlavorSortKey; readonly dir: 'asc' | 'desc' };
  readonly limit: number;
  /** Flavor id of the last one seen. */
  readonly marker?: string;
}

/** Flavors, their extra specs and who may use the private ones. */
export class FlavorsRepository {
  constructor(private readonly db: Database) {}

  /** The flavor, if it exists and the project may use it; null as project is an operator, who may use all. */
  async find(flavorId: string, projectId: string | null): Promise<Flavor | null> {
    const [access, params] = usableBy(projectId);
    const [row] = await this.db.query<FlavorRow>(`SELECT f.* FROM flavors f WHERE f.flavor_id = ? AND ${access}`, [
      flavorId,
      ...params,
    ]);
    return row ? flavorOf(row) : null;
  }

  /** `not_found` code `flavor.not_found`. */
  async get(flavorId: string, projectId: string | null): Promise<Flavor> {
    const found = await this.find(flavorId, projectId);
    if (!found) throw flavorNotFound(flavorId);
    return found;
  }

  /** One page. `invalid` code `flavor.marker` when the marker names no flavor. */
  async list(filters: FlavorFilters, { sort, limit, marker }: FlavorPage): Promise<Flavor[]> {
    const [where, params] = conditions(filters);
    const column = FLAVOR_SORT_COLUMNS[sort.key];
    const after: string[] = [];
    const afterParams: SqlValue[] = [];
    if (marker !== undefined) {
      const [at] = await this.db.query<Record<string, SqlValue>>(
        `SELECT id, ${column} AS value FROM flavors WHERE flavor_id = ?`,
        [marker],
      );
      if (!at) throw invalid(`marker [${marker.slice(0, 255)}] not found`, { code: 'flavor.marker' });
      const [sql, p] = beyond(column, sort.dir, at['value'], at['id']);
      after.push(sql);
      afterParams.push(...p);
    }
    const sql = `SELECT f.* FROM flavors f WHERE ${[...where, ...after].join(' AND ')} ORDER BY f.${column} ${sort.dir}${UNIQUE.has(column) ? '' : ', f.id ASC'} LIMIT ?`;
    const rows = await this.db.query<FlavorRow>(sql, [...params, ...afterParams, limit]);
    return rows.map(flavorOf);
  }

  /** `conflict`: `flavor.name_exists` or `flavor.id_exists`. */
  async create(flavor: NewFlavor, now: number): Promise<Flavor> {
    const row = { ...rowOf(flavor), created_at: now, updated_at: null };
    const id = await this.db
      .transaction(async (tx) => {
        const [same] = await tx.query<{ name: string }>('SELECT name FROM flavors WHERE name = ?', [flavor.name]);
        if (same) throw nameTaken(flavor.name);
        return tx.insert('flavors', row);
      })
      .catch((e: unknown) => {
        throw isDuplicateKey(e) ? idTaken(flavor.flavorId) : e;
      });
    return { ...flavor, id, createdAt: now, updatedAt: null };
  }

  /** `not_found` code `flavor.not_found`. */
  async setDescription(flavorId: string, description: string | null, now: number): Promise<void> {
    await this.update(flavorId, { description, updated_at: now });
  }

  /** Changes extra specs; null removes one. All at once or none. Returns what is there after. */
  async changeExtraSpecs(
    flavorId: string,
    change: Readonly<Record<string, string | null>>,
    now: number,
  ): Promise<Record<string, string>> {
    return this.db.transaction(async (tx) => {
      const lock = tx.dialect === 'mysql' ? ' FOR UPDATE' : '';
      const [row] = await tx.query<FlavorRow>(`SELECT * FROM flavors WHERE flavor_id = ?${lock}`, [flavorId]);
      if (!row) throw flavorNotFound(flavorId);
      const specs = JSON.parse(row.extra_specs) as Record<string, string>;
      for (const [key, value] of Object.entries(change)) {
        if (value === null && !Object.hasOwn(specs, key)) throw specNotFound(flavorId, key);
        if (value === null) delete specs[key];
        else specs[key] = value;
      }
      await tx.execute('UPDATE flavors SET extra_specs = ?, updated_at = ? WHERE id = ?', [
        JSON.stringify(specs),
        now,
        row.id,
      ]);
      return specs;
    });
  }

  /** `not_found` code `flavor.not_found`. Servers keep their own copy of the flavor. */
  async delete(flavorId: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      await tx.execute(
        'DELETE FROM flavor_projects WHERE flavor_row_id IN (SELECT id FROM flavors WHERE flavor_id = ?)',
        [flavorId],
      );
      const { affected } = await tx.execute('DELETE FROM flavors WHERE flavor_id = ?', [flavorId]);
      if (affected === 0) throw flavorNotFound(flavorId);
    });
  }

  /** Projects that may use a private flavor, in order. */
  async projects(flavor: Flavor): Promise<string[]> {
    const rows = await this.db.query<{ project_id: string }>(
      'SELECT project_id FROM flavor_projects WHERE flavor_row_id = ? ORDER BY project_id',
      [flavor.id],
    );
    return rows.map((r) => r.project_id);
  }

  /** `conflict` code `flavor.access_exists`. */
  async addProject(flavor: Flavor, projectId: string): Promise<void> {
    await this.db
      .transaction((tx) => tx.insert('flavor_projects', { flavor_row_id: flavor.id, project_id: projectId }))
      .catch((e: unknown) => {
        if (!isDuplicateKey(e)) throw e;
        const message = `Flavor access already exists for flavor ${flavor.flavorId} and project ${projectId} combination.`;
        throw conflict(message, { code: 'flavor.access_exists' });
      });
  }

  /** `not_found` code `flavor.access_not_found`. */
  async removeProject(flavor: Flavor, projectId: string): Promise<void> {
    const sql = 'DELETE FROM flavor_projects WHERE flavor_row_id = ? AND project_id = ?';
    const { affected } = await this.db.transaction((tx) => tx.execute(sql, [flavor.id, projectId]));
    if (affected > 0) return;
    const message = `Flavor access not found for flavor ${flavor.flavorId} and project ${projectId} combination.`;
    throw notFound(message, { code: 'flavor.access_not_found' });
  }

  private async update(flavorId: string, columns: SqlRow): Promise<void> {
    const [set, params] = assignments(columns);
    await this.db.transaction(async (tx) => {
      const { affected } = await tx.execute(`UPDATE flavors SET ${set} WHERE flavor_id = ?`, [...params, flavorId]);
      if (affected === 0) throw flavorNotFound(flavorId);
    });
  }
}

function usableBy(projectId: string | null): [sql: string, params: SqlValue[]] {
  if (projectId === null) return ['1 = 1', []];
  const granted = 'EXISTS (SELECT 1 FROM flavor_projects p WHERE p.flavor_row_id = f.id AND p.project_id = ?)';
  return [`(f.is_public = 1 OR ${granted})`, [projectId]];
}

function conditions(filters: FlavorFilters): [sql: string[], params: SqlValue[]] {
  const sql = ['1 = 1'];
  const params: SqlValue[] = [];
  const add = (condition: string, ...values: SqlValue[]): void => {
    sql.push(condition);
    params.push(...values);
  };
  if (filters.isPublic === false) add('f.is_public = 0');
  if (filters.isPublic === true) {
    if (filters.projectId === null) add('f.is_public = 1');
    else {
      const [access, values] = usableBy(filters.projectId);
      add(access, ...values);
    }
  }
  if (filters.disabled !== undefined) add('f.disabled = ?', filters.disabled ? 1 : 0);
  if (filters.minMemoryMb !== undefined) add('f.memory_mb >= ?', filters.minMemoryMb);
  if (filters.minRootGb !== undefined) add('f.root_gb >= ?', filters.minRootGb);
  if (filters.name !== undefined)
    add("LOWER(f.name) LIKE LOWER(?) ESCAPE '!'", `%${filters.name.replace(/[!%_]/g, '!$&')}%`);
  return [sql, params];
}

/** Columns that order alone, so that their index can. */
const UNIQUE: ReadonlySet<string> = new Set(['id', 'flavor_id', 'name']);

/** Rows after (value, id) in the order of the column; nulls come first when ascending, on both databases. */
function beyond(column: string, dir: 'asc' | 'desc', value: SqlValue, id: SqlValue): [sql: string, params: SqlValue[]] {
  const c = `f.${column}`;
  if (UNIQUE.has(column)) return [`${c} ${dir === 'asc' ? '>' : '<'} ?`, [value]];
  if (value === null || value === undefined) {
    return dir === 'asc'
      ? [`(${c} IS NOT NULL OR (${c} IS NULL AND f.id > ?))`, [id]]
      : [`(${c} IS NULL AND f.id > ?)`, [id]];
  }
  if (dir === 'asc') return [`(${c} > ? OR (${c} = ? AND f.id > ?))`, [value, value, id]];
  return [`(${c} < ? OR ${c} IS NULL OR (${c} = ? AND f.id > ?))`, [value, value, id]];
}

const flavorNotFound = (flavorId: string) =>
  notFound(`Flavor ${flavorId.slice(0, 255)} could not be found.`, { code: 'flavor.not_found' });
const nameTaken = (name: string) =>
  conflict(`Flavor with name ${name} already exists.`, { code: 'flavor.name_exists' });
const idTaken = (id: string) => conflict(`Flavor with ID ${id} already exists.`, { code: 'flavor.id_exists' });
const specNotFound = (flavorId: string, key: string) =>
  notFound(`Flavor ${flavorId} has no extra specs with key ${key.slice(0, 255)}.`, { code: 'flavor.spec_not_found' });

const rowOf = (f: NewFlavor): SqlRow => ({
  flavor_id: f.flavorId,
  name: f.name,
  vcpus: f.vcpus,
  memory_mb: f.memoryMb,
  root_gb: f.rootGb,
  ephemeral_gb: f.ephemeralGb,
  swap_mb: f.swapMb,
  rxtx_factor: f.rxtxFactor,
  disabled: f.disabled ? 1 : 0,
  is_public: f.isPublic ? 1 : 0,
  description: f.description,
  extra_specs: JSON.stringify(f.extraSpecs),
});

const flavorOf = (row: FlavorRow): Flavor => ({
  id: row.id,
  flavorId: row.flavor_id,
  name: row.name,
  vcpus: row.vcpus,
  memoryMb: row.memory_mb,
  rootGb: row.root_gb,
  ephemeralGb: row.ephemeral_gb,
  swapMb: row.swap_mb,
  rxtxFactor: row.rxtx_factor,
  disabled: row.disabled !== 0,
  isPublic: row.is_public !== 0,
  description: row.description,
  extraSpecs: JSON.parse(row.extra_specs) as Record<string, string>,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
