/** Our own Placement database, as it is filled: what is there already, and what is written, a batch a transaction. */
import { type Database, placeholders, type SqlRow, type Tx } from '@fractus/database';
import { internal } from '@fractus/objects';
import { STANDARD_RESOURCE_CLASSES } from '@fractus/os-resource-classes';
import type { ConsumerRecord, Names, ProviderRecord, TableName } from './records';
import { TABLES } from './records';

const FIRST_CUSTOM_ID = 10_000;
/** Rows in one INSERT: few enough for what a statement takes in parameters. */
const CHUNK = 400;

export class Target {
  private classIds = new Map<string, number>();
  private classNames = new Map<number, string>();
  private traitIds = new Map<string, number>();
  private traitNames = new Map<number, string>();

  constructor(readonly database: Database) {}

  /** Reads the names again; before the first call none are known. */
  async readNames(): Promise<void> {
    type Named = { id: number; name: string };
    const classes = await this.database.query<Named>('SELECT id, name FROM resource_classes');
    const traits = await this.database.query<Named>('SELECT id, name FROM traits');
    this.classIds = new Map(classes.map((c) => [c.name, Number(c.id)]));
    this.classNames = new Map(classes.map((c) => [Number(c.id), c.name]));
    this.traitIds = new Map(traits.map((t) => [t.name, Number(t.id)]));
    this.traitNames = new Map(traits.map((t) => [Number(t.id), t.name]));
  }

  /** Of the given names, those that are here. */
  namesAmong({ resourceClasses, traits }: Names): Names {
    return {
      resourceClasses: resourceClasses.filter((c) => this.classIds.has(c.name)),
      traits: traits.filter((t) => this.traitIds.has(t)),
    };
  }

  /** Makes the names that are missing; a custom class keeps its number where that is free. */
  async addNames({ resourceClasses, traits }: Names, now: number): Promise<void> {
    const taken = new Set([...this.classIds.values(), ...STANDARD_RESOURCE_CLASSES.keys()]);
    const classes = resourceClasses
      .filter((c) => !this.classIds.has(c.name))
      .map(({ id, name }) => {
        let free = id >= FIRST_CUSTOM_ID && !taken.has(id) ? id : Math.max(FIRST_CUSTOM_ID - 1, ...taken) + 1;
        while (taken.has(free)) free++;
        taken.add(free);
        return { id: free, name, updated_at: now };
      });
    const fresh = traits.filter((t) => !this.traitIds.has(t)).map((name) => ({ name, updated_at: now }));
    await this.database.transaction(async (tx) => {
      await insertAll(tx, 'resource_classes', classes);
      await insertAll(tx, 'traits', fresh);
    });
    await this.readNames();
  }

  /** Rows by table; of names, those that are not standard are not told apart here, and 0 is given. */
  async counts(): Promise<Record<TableName, number>> {
    const counts = {} as Record<TableName, number>;
    for (const table of TABLES) {
      const isNames = table === 'resource_classes' || table === 'traits';
      const [row] = isNames ? [] : await this.database.query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`);
      counts[table] = Number(row?.n ?? 0);
    }
    return counts;
  }

  /** The newest number of the change log: it grows with everything that a Placement writes. */
  async lastChange(): Promise<number> {
    const [row] = await this.database.query<{ last: number | null }>('SELECT MAX(seq) AS last FROM change_log');
    return Number(row?.last ?? 0);
  }

  async providers(ids: readonly number[]): Promise<ProviderRecord[]> {
    if (ids.length === 0) return [];
    type Row = Record<string, string | number | null>;
    const within = `IN (${placeholders(ids)})`;
    const ask = (sql: string): Promise<Row[]> => this.database.query<Row>(sql, [...ids]);
    const own = await ask(`SELECT * FROM resource_providers WHERE id ${within} ORDER BY id`);
    const inventories = await ask(`SELECT * FROM inventories WHERE provider_id ${within}`);
    const traits = await ask(`SELECT * FROM provider_traits WHERE provider_id ${within}`);
    const aggregates = await ask(`SELECT * FROM provider_aggregates WHERE provider_id ${within}`);
    const groups = [inventories, traits, aggregates].map((rows) => byProvider(rows));
    const of = (group: number, id: number): Row[] => groups[group]?.get(id) ?? [];
    return own.map((r): ProviderRecord => {
      const id = Number(r['id']);
      return {
        ...{ id, uuid: String(r['uuid']), name: String(r['name']), generation: Number(r['generation']) },
        ...{ parentId: r['parent_id'] === null ? null : Number(r['parent_id']), rootId: Number(r['root_id']) },
        ...{ createdAt: Number(r['created_at']), updatedAt: Number(r['updated_at']) },
        inventories: of(0, id).map((i) => ({
          resourceClass: this.className(Number(i['resource_class_id'])),
          ...{ total: Number(i['total']), reserved: Number(i['reserved']), minUnit: Number(i['min_unit']) },
          ...{ maxUnit: Number(i['max_unit']), stepSize: Number(i['step_size']) },
          ...{ allocationRatio: Number(i['allocation_ratio']), updatedAt: Number(i['updated_at']) },
        })),
        traits: of(1, id).map((t) => this.traitNames.get(Number(t['trait_id'])) ?? String(t['trait_id'])),
        aggregates: of(2, id).map((a) => String(a['aggregate_uuid'])),
      };
    });
  }

  async consumers(uuids: readonly string[]): Promise<ConsumerRecord[]> {
    if (uuids.length === 0) return [];
    type Row = Record<string, string | number | null>;
    const rows = await this.database.query<Row>(
      `SELECT c.*, a.provider_id, a.resource_class_id, a.used, a.updated_at AS allocated_at
       FROM consumers c LEFT JOIN allocations a ON a.consumer_id = c.id WHERE c.uuid IN (${placeholders(uuids)})`,
      [...uuids],
    );
    const found = new Map<string, ConsumerRecord & { allocations: ConsumerRecord['allocations'][number][] }>();
    for (const r of rows) {
      const uuid = String(r['uuid']);
      const one = found.get(uuid) ?? {
        ...{ uuid, generation: Number(r['generation']), projectId: String(r['project_id']) },
        ...{ userId: String(r['user_id']), type: r['consumer_type'] === null ? null : String(r['consumer_type']) },
        ...{ createdAt: Number(r['created_at']), updatedAt: Number(r['updated_at']), allocations: [] },
      };
      found.set(uuid, one);
      if (r['provider_id'] === null) continue;
      const resourceClass = this.className(Number(r['resource_class_id']));
      const updatedAt = Number(r['allocated_at']);
      one.allocations.push({ providerId: Number(r['provider_id']), resourceClass, used: Number(r['used']), updatedAt });
    }
    return [...found.values()];
  }

  async addProviders(records: readonly ProviderRecord[]): Promise<void> {
    const each = (rows: (p: ProviderRecord) => SqlRow[]): SqlRow[] => records.flatMap(rows);
    await this.database.transaction(async (tx) => {
      await insertAll(tx, 'resource_providers', each((p) => [
        {
          ...{ id: p.id, uuid: p.uuid, name: p.name, generation: p.generation, revision: 1 },
          ...{ parent_id: p.parentId, root_id: p.rootId, created_at: p.createdAt, updated_at: p.updatedAt },
        },
      ])); // prettier-ignore
      await insertAll(tx, 'inventories', each((p) => p.inventories.map((i) => ({
        ...{ provider_id: p.id, resource_class_id: this.classId(i.resourceClass), total: i.total },
        ...{ reserved: i.reserved, min_unit: i.minUnit, max_unit: i.maxUnit, step_size: i.stepSize },
        ...{ allocation_ratio: i.allocationRatio, updated_at: i.updatedAt },
      })))); // prettier-ignore
      const trait = (name: string): number => known(this.traitIds.get(name), name);
      await insertAll(tx, 'provider_traits', each((p) => p.traits.map((t) => ({ provider_id: p.id, trait_id: trait(t) })))); // prettier-ignore
      await insertAll(tx, 'provider_aggregates', each((p) => p.aggregates.map((aggregate_uuid) => ({ provider_id: p.id, aggregate_uuid })))); // prettier-ignore
    });
  }

  async addConsumers(records: readonly ConsumerRecord[]): Promise<void> {
    if (records.length === 0) return;
    await this.database.transaction(async (tx) => {
      const rows = records.map((c) => ({
        ...{ uuid: c.uuid, generation: c.generation, project_id: c.projectId, user_id: c.userId },
        ...{ consumer_type: c.type, created_at: c.createdAt, updated_at: c.updatedAt },
      }));
      await insertAll(tx, 'consumers', rows);
      const uuids = records.map((c) => c.uuid);
      const made = await tx.query<{ id: number; uuid: string }>(
        `SELECT id, uuid FROM consumers WHERE uuid IN (${placeholders(uuids)})`,
        uuids,
      );
      const ids = new Map(made.map((r) => [r.uuid, Number(r.id)]));
      const held = records.flatMap((c) =>
        c.allocations.map((a) => ({
          ...{ consumer_id: known(ids.get(c.uuid), c.uuid), provider_id: a.providerId },
          ...{ resource_class_id: this.classId(a.resourceClass), used: a.used, updated_at: a.updatedAt },
        })),
      );
      await insertAll(tx, 'allocations', held);
    });
  }

  private className(id: number): string {
    return this.classNames.get(id) ?? String(id);
  }
  private classId(name: string): number {
    return known(this.classIds.get(name), name);
  }
}

function known(id: number | undefined, name: string): number {
  if (id === undefined) throw internal(`${name} was to be written before it is used`);
  return id;
}

async function insertAll(tx: Tx, table: string, rows: readonly SqlRow[]): Promise<void> {
  for (let i = 0; i < rows.length; i += CHUNK) await tx.insert(table, rows.slice(i, i + CHUNK));
}

function byProvider<R extends Record<string, string | number | null>>(rows: readonly R[]): Map<number, R[]> {
  const groups = new Map<number, R[]>();
  for (const row of rows) {
    const id = Number(row['provider_id']);
    groups.set(id, [...(groups.get(id) ?? []), row]);
  }
  return groups;
}
