/**
 * What a Placement database holds, in words that do not depend on whose tables it stands in: uuids and names instead of
 * numbers. Both sides are read into these, compared by them, and summed up by them.
 */
import { createHash } from 'node:crypto';

export interface InventoryRecord {
  readonly resourceClass: string;
  readonly total: number;
  readonly reserved: number;
  readonly minUnit: number;
  readonly maxUnit: number;
  readonly stepSize: number;
  readonly allocationRatio: number;
  readonly updatedAt: number;
}

export interface ProviderRecord {
  /** The number is kept: others in the same database point to it. */
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly generation: number;
  readonly parentId: number | null;
  readonly rootId: number;
  /** Epoch milliseconds, as all instants here. They are carried over, and not compared. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly inventories: readonly InventoryRecord[];
  readonly traits: readonly string[];
  readonly aggregates: readonly string[];
}

export interface AllocationRecord {
  readonly providerId: number;
  readonly resourceClass: string;
  readonly used: number;
  readonly updatedAt: number;
}

export interface ConsumerRecord {
  readonly uuid: string;
  readonly generation: number;
  readonly projectId: string;
  readonly userId: string;
  /** Null: unknown, as upstream has it for those written before 1.38. */
  readonly type: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly allocations: readonly AllocationRecord[];
}

export interface Names {
  readonly resourceClasses: readonly { readonly id: number; readonly name: string }[];
  readonly traits: readonly string[];
}

/** The tables, as both sides have them, in the order in which they are filled. */
export const TABLES = [
  'resource_classes',
  'traits',
  'resource_providers',
  'inventories',
  'provider_traits',
  'provider_aggregates',
  'consumers',
  'allocations',
] as const;
export type TableName = (typeof TABLES)[number];

/** Lines by table: each is all of a row that is compared. */
export type Lines = Partial<Record<TableName, readonly string[]>>;

const line = (...values: readonly unknown[]): string => JSON.stringify(values);

export const linesOfNames = ({ resourceClasses, traits }: Names): Lines => ({
  resource_classes: resourceClasses.map((c) => line(c.name)),
  traits: traits.map((t) => line(t)),
});

export function linesOfProvider(p: ProviderRecord): Lines {
  return {
    resource_providers: [line(p.id, p.uuid, p.name, p.generation, p.parentId, p.rootId)],
    inventories: p.inventories.map((i) =>
      line(p.id, i.resourceClass, i.total, i.reserved, i.minUnit, i.maxUnit, i.stepSize, i.allocationRatio),
    ),
    provider_traits: p.traits.map((t) => line(p.id, t)),
    provider_aggregates: p.aggregates.map((a) => line(p.id, a)),
  };
}

export function linesOfConsumer(c: ConsumerRecord): Lines {
  return {
    consumers: [line(c.uuid, c.generation, c.projectId, c.userId, c.type)],
    allocations: c.allocations.map((a) => line(c.uuid, a.providerId, a.resourceClass, a.used)),
  };
}

/** Whether two records say the same, in whatever order their parts come. */
export function sameLines(a: Lines, b: Lines): boolean {
  return TABLES.every((table) => [...(a[table] ?? [])].sort().join('\n') === [...(b[table] ?? [])].sort().join('\n'));
}

const MODULUS = 2n ** 128n;

/** Rows and a checksum of one table, in whatever order the rows come: the sum of the rows' own. */
export class TableSum {
  rows = 0;
  private sum = 0n;

  add(text: string): void {
    const own = BigInt(`0x${createHash('sha256').update(text).digest('hex').slice(0, 32)}`);
    this.sum = (this.sum + own) % MODULUS;
    this.rows++;
  }

  get checksum(): string {
    return this.sum.toString(16).padStart(32, '0');
  }
}

export class Sums {
  private readonly tables = new Map<TableName, TableSum>(TABLES.map((t) => [t, new TableSum()]));

  add(lines: Lines): void {
    for (const table of TABLES) for (const text of lines[table] ?? []) this.of(table).add(text);
  }

  of(table: TableName): TableSum {
    const sum = this.tables.get(table);
    if (!sum) throw new Error(`no such table ${table}`);
    return sum;
  }
}
