/**
 * Reads upstream's tables: a Placement database, or the `nova_api` of the releases in which Placement was part of Nova.
 * Older ones lack columns (trees, generations of consumers) and tables (consumers, their types); what is missing is
 * taken as upstream's own online migrations fill it in. A row that cannot be copied is a problem, and told.
 */
import { placeholders } from '@fractus/database';
import { invalid } from '@fractus/objects';
import { STANDARD_RESOURCE_CLASSES } from '@fractus/os-resource-classes';
import type { SourceConnection } from './connection';
import type { AllocationRecord, ConsumerRecord, InventoryRecord, Names, ProviderRecord } from './records';
import { Forest } from './forest';

/** Project and user of consumers of which upstream knows none (its options incomplete_consumer_*_id). */
export const INCOMPLETE = '00000000-0000-0000-0000-000000000000';
const LONGEST_NAME = 200;
const ESSENTIAL = ['resource_providers', 'inventories', 'allocations', 'resource_provider_aggregates'] as const;
const OPTIONAL = ['resource_classes', 'traits', 'resource_provider_traits', 'consumers', 'consumer_types'] as const;

type Row = Readonly<Record<string, string | number | null>>;

export class Source {
  /** Rows that cannot be copied, and why. */
  readonly problems = new Set<string>();
  /** What is done about what upstream's own migrations have not done. */
  readonly notes: string[] = [];
  private readonly classes = new Map<number, string>();
  private readonly traits = new Map<number, string>();
  private readonly aggregates = new Map<number, string>();
  private forest = new Forest([]);

  private constructor(
    private readonly connection: SourceConnection,
    private readonly columns: ReadonlyMap<string, ReadonlySet<string>>,
  ) {}

  /** `invalid` `migrate.source` where it is no database of Placement. */
  static async read(connection: SourceConnection): Promise<Source> {
    const columns = new Map<string, ReadonlySet<string>>();
    for (const table of [...ESSENTIAL, ...OPTIONAL]) columns.set(table, await connection.columns(table));
    const lacking = ESSENTIAL.filter((t) => columns.get(t)?.size === 0);
    if (lacking.length > 0)
      throw invalid(`the source is no database of Placement: it has no ${lacking.join(', ')}`, {
        code: 'migrate.source',
      });
    const source = new Source(connection, columns);
    await source.readNames();
    await source.readForest();
    await source.findStrays();
    return source;
  }

  /** Names that need copying if the target lacks them. Standard classes have their numbers everywhere. */
  get names(): Names {
    const standard: ReadonlySet<string> = new Set(STANDARD_RESOURCE_CLASSES);
    const custom = [...this.classes].filter(([, name]) => !standard.has(name)).map(([id, name]) => ({ id, name }));
    return { resourceClasses: custom, traits: [...this.traits.values()] };
  }

  /** Pages of providers with all that hangs on them, in order of their numbers. */
  async *providers(batch: number): AsyncGenerator<ProviderRecord[]> {
    const ids = this.forest.ids();
    for (let i = 0; i < ids.length; i += batch) yield this.providersOf(ids.slice(i, i + batch));
  }

  /** Pages of consumers that hold anything. */
  async *consumers(batch: number): AsyncGenerator<ConsumerRecord[]> {
    for (let after = ''; ;) {
      const page = await this.connection.query<{ uuid: string }>(
        `SELECT DISTINCT consumer_id AS uuid FROM allocations WHERE consumer_id > ? ORDER BY consumer_id LIMIT ${batch}`,
        [after],
      );
      const last = page.at(-1);
      if (!last) return;
      yield await this.consumersOf(page.map((r) => r.uuid));
      after = last.uuid;
    }
  }

  private has(table: string, column = 'id'): boolean {
    return this.columns.get(table)?.has(column) ?? false;
  }

  /** A column of the table, or what stands for it in older releases. */
  private column(table: string, name: string, instead: string, alias = table): string {
    return this.has(table, name) ? `${alias}.${name} AS ${name}` : `${instead} AS ${name}`;
  }

  private async readNames(): Promise<void> {
    // before Placement was on its own, only custom classes had rows
    STANDARD_RESOURCE_CLASSES.forEach((name, id) => this.classes.set(id, name));
    const { connection } = this;
    type Named = { id: number; name: string };
    if (this.has('resource_classes'))
      for (const { id, name } of await connection.query<Named>('SELECT id, name FROM resource_classes'))
        this.classes.set(id, name);
    if (this.has('traits'))
      for (const { id, name } of await connection.query<Named>('SELECT id, name FROM traits ORDER BY id'))
        this.traits.set(id, name);
    type Aggregate = { id: number; uuid: string | null };
    for (const { id, uuid } of await connection.query<Aggregate>('SELECT id, uuid FROM placement_aggregates'))
      if (uuid) this.aggregates.set(id, uuid);
  }

  private async readForest(): Promise<void> {
    const rows = await this.connection.query<Row>(
      `SELECT id, uuid, name, ${this.column('resource_providers', 'parent_provider_id', 'NULL')},
       ${this.column('resource_providers', 'root_provider_id', 'NULL')} FROM resource_providers`,
    );
    this.forest = new Forest(
      rows.map((r) => ({
        id: Number(r['id']),
        uuid: String(r['uuid']),
        name: r['name'] === null ? null : String(r['name']),
        parentId: numberOr(r['parent_provider_id']),
        rootId: numberOr(r['root_provider_id']),
      })),
      LONGEST_NAME,
    );
    this.forest.problems.forEach((p) => this.problems.add(p));
    if (this.forest.rootless > 0)
      this.notes.push(`${this.forest.rootless} providers have no root: it is found by their parents`);
  }

  /** Rows that belong to no provider at all: no page comes by them. */
  private async findStrays(): Promise<void> {
    const tables = ['inventories', 'allocations', 'resource_provider_aggregates', 'resource_provider_traits'];
    for (const table of tables.filter((t) => this.has(t, 'resource_provider_id'))) {
      const strays = await this.connection.query<{ id: number; n: number }>(
        `SELECT t.resource_provider_id AS id, COUNT(*) AS n FROM ${table} t
         LEFT JOIN resource_providers p ON p.id = t.resource_provider_id WHERE p.id IS NULL
         GROUP BY t.resource_provider_id`,
      );
      for (const { id, n } of strays) this.problems.add(`${table}: ${n} of provider ${id}, which does not exist`);
    }
    await this.noteConsumers();
  }

  private async noteConsumers(): Promise<void> {
    if (!this.has('consumers')) {
      this.notes.push(`there are no records of consumers: all get project and user ${INCOMPLETE}, as upstream's own`);
      return;
    }
    const [incomplete] = await this.connection.query<{ n: number }>(
      `SELECT COUNT(DISTINCT a.consumer_id) AS n FROM allocations a LEFT JOIN consumers c ON c.uuid = a.consumer_id
       WHERE c.id IS NULL`,
    );
    if (Number(incomplete?.n) > 0)
      this.notes.push(`${incomplete?.n} consumers have no record: they get project and user ${INCOMPLETE}`);
    const [idle] = await this.connection.query<{ n: number }>(
      'SELECT COUNT(*) AS n FROM consumers c WHERE NOT EXISTS (SELECT 1 FROM allocations a WHERE a.consumer_id = c.uuid)',
    );
    if (Number(idle?.n) > 0) this.notes.push(`${idle?.n} consumers hold nothing: they are left out`);
  }

  private async providersOf(ids: readonly number[]): Promise<ProviderRecord[]> {
    const within = `IN (${placeholders(ids)})`;
    const ask = (sql: string): Promise<Row[]> => this.connection.query<Row>(sql, ids);
    const own = await ask(
      `SELECT id, generation, created_at, updated_at FROM resource_providers WHERE id ${within} ORDER BY id`,
    );
    const inventories = groupBy(await ask(`SELECT * FROM inventories WHERE resource_provider_id ${within}`));
    const memberships = groupBy(
      await ask(`SELECT * FROM resource_provider_aggregates WHERE resource_provider_id ${within}`),
    );
    const traits = this.has('resource_provider_traits', 'trait_id')
      ? groupBy(await ask(`SELECT * FROM resource_provider_traits WHERE resource_provider_id ${within}`))
      : new Map<number, Row[]>();
    return own.map((row): ProviderRecord => {
      const id = Number(row['id']);
      const named = (rows: readonly Row[] | undefined, by: ReadonlyMap<number, string>, key: string): string[] =>
        (rows ?? []).flatMap((r) => {
          const name = by.get(Number(r[key]));
          if (name === undefined) this.problems.add(`provider ${id}: ${key} ${r[key]} does not exist`);
          return name === undefined ? [] : [name];
        });
      return {
        ...this.forest.place(id),
        ...{ id, generation: Number(row['generation'] ?? 0), ...instants(row) },
        inventories: (inventories.get(id) ?? []).flatMap((r) => this.inventory(id, r)),
        traits: named(traits.get(id), this.traits, 'trait_id'),
        aggregates: named(memberships.get(id), this.aggregates, 'aggregate_id'),
      };
    });
  }

  private inventory(provider: number, row: Row): InventoryRecord[] {
    const resourceClass = this.className(row, `inventory of provider ${provider}`);
    if (resourceClass === undefined) return [];
    const n = (column: string): number => Number(row[column]);
    return [
      {
        ...{ resourceClass, total: n('total'), reserved: n('reserved'), minUnit: n('min_unit') },
        ...{ maxUnit: n('max_unit'), stepSize: n('step_size'), allocationRatio: n('allocation_ratio') },
        updatedAt: instants(row).updatedAt,
      },
    ];
  }

  private className(row: Row, of: string): string | undefined {
    const name = this.classes.get(Number(row['resource_class_id']));
    if (name === undefined) this.problems.add(`${of}: resource class ${row['resource_class_id']} does not exist`);
    return name;
  }

  private async consumersOf(uuids: readonly string[]): Promise<ConsumerRecord[]> {
    const held = new Map<string, Row[]>();
    const rows = await this.connection.query<Row>(
      `SELECT * FROM allocations WHERE consumer_id IN (${placeholders(uuids)}) ORDER BY id`,
      uuids,
    );
    for (const row of rows)
      held.set(String(row['consumer_id']), [...(held.get(String(row['consumer_id'])) ?? []), row]);
    const known = new Map((await this.consumerRows(uuids)).map((r) => [String(r['uuid']), r]));
    return [...held].flatMap(([uuid, mine]) => {
      const allocations = this.allocationsOf(uuid, mine);
      // what is of a provider that cannot be copied holds nothing in the target
      return allocations.length === 0 ? [] : [{ ...consumerOf(uuid, known.get(uuid) ?? mine[0]), allocations }];
    });
  }

  private async consumerRows(uuids: readonly string[]): Promise<Row[]> {
    if (!this.has('consumers')) return [];
    const typed = this.has('consumer_types') && this.has('consumers', 'consumer_type_id');
    return this.connection.query<Row>(
      `SELECT c.uuid, ${this.column('consumers', 'generation', '0', 'c')}, p.external_id AS project_id,
       u.external_id AS user_id, ${typed ? 't.name' : 'NULL'} AS type, c.created_at, c.updated_at
       FROM consumers c LEFT JOIN projects p ON p.id = c.project_id LEFT JOIN users u ON u.id = c.user_id
       ${typed ? 'LEFT JOIN consumer_types t ON t.id = c.consumer_type_id' : ''} WHERE c.uuid IN (${placeholders(uuids)})`,
      uuids,
    );
  }

  private allocationsOf(uuid: string, rows: readonly Row[]): AllocationRecord[] {
    const found = new Map<string, AllocationRecord>();
    for (const row of rows) {
      const providerId = Number(row['resource_provider_id']);
      if (!this.forest.has(providerId)) {
        if (this.forest.refused(providerId))
          this.problems.add(`allocation of consumer ${uuid}: provider ${providerId} cannot be copied`);
        continue;
      }
      const resourceClass = this.className(row, `allocation of consumer ${uuid}`);
      if (resourceClass === undefined) continue;
      const key = `${providerId} ${resourceClass}`;
      if (found.has(key)) this.problems.add(`allocation of consumer ${uuid}: ${key} is there twice`);
      else found.set(key, { providerId, resourceClass, used: Number(row['used']), updatedAt: instants(row).updatedAt });
    }
    return [...found.values()];
  }
}

/** `row`: of the consumer, or, where it has none, of an allocation. */
function consumerOf(uuid: string, row: Row | undefined): Omit<ConsumerRecord, 'allocations'> {
  const text = (column: string): string | null => {
    const value = row?.[column];
    return value === null || value === undefined ? null : String(value);
  };
  return {
    ...{ uuid, generation: Number(row?.['generation'] ?? 0), type: text('type') },
    ...{ projectId: text('project_id') ?? INCOMPLETE, userId: text('user_id') ?? INCOMPLETE },
    ...instants(row ?? {}),
  };
}

function groupBy(rows: readonly Row[]): Map<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const key = Number(row['resource_provider_id']);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

const numberOr = (value: string | number | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

/** Upstream writes UTC without saying so. */
function instants(row: Row): { createdAt: number; updatedAt: number } {
  const at = (value: string | number | null | undefined): number => {
    const ms = typeof value === 'string' ? Date.parse(`${value.replace(' ', 'T')}Z`) : NaN;
    return Number.isNaN(ms) ? 0 : ms;
  };
  const createdAt = at(row['created_at']);
  return { createdAt, updatedAt: at(row['updated_at']) || createdAt };
}
