/** Reads whole trees, in the unit of work that makes it one snapshot. */
import { placeholders, type Tx } from '@fractus/database';
import { type Inventory, type ProviderRecord, type Tree, buildTree } from '../domain/provider';
import type { Names } from './names';
import type { InventoryRow, ProviderRow } from './rows';

const CHUNK = 500;

interface Loose {
  provider_id: number;
}
type ProviderLine = Omit<ProviderRow, 'created_at'>;

/** The trees with these roots; roots that are gone are left out. Without roots: every tree. */
export async function readTrees(tx: Pick<Tx, 'query'>, names: Names, rootIds?: readonly number[]): Promise<Tree[]> {
  if (!rootIds) return assemble(await readLines(tx, '1 = 1', []), names);
  const trees: Tree[] = [];
  for (let i = 0; i < rootIds.length; i += CHUNK) {
    const part = rootIds.slice(i, i + CHUNK);
    trees.push(...assemble(await readLines(tx, `p.root_id IN (${placeholders(part)})`, part), names));
  }
  return trees;
}

interface Lines {
  providers: ProviderLine[];
  inventories: InventoryRow[];
  usages: (Loose & { resource_class_id: number; used: number })[];
  traits: (Loose & { trait_id: number })[];
  aggregates: (Loose & { aggregate_uuid: string })[];
}

async function readLines(tx: Pick<Tx, 'query'>, where: string, params: readonly number[]): Promise<Lines> {
  const read = <T>(what: string, from: string, rest = ''): Promise<T[]> =>
    tx.query<T>(`SELECT ${what} FROM ${from} WHERE ${where}${rest}`, [...params]);
  const joined = (table: string): string => `resource_providers p JOIN ${table} x ON x.provider_id = p.id`;
  return {
    providers: await read(
      'p.id, p.uuid, p.name, p.generation, p.revision, p.parent_id, p.root_id, p.updated_at',
      'resource_providers p',
    ),
    inventories: await read('x.*', joined('inventories'), ' ORDER BY x.provider_id, x.resource_class_id'),
    usages: await read(
      'x.provider_id, x.resource_class_id, SUM(x.used) AS used',
      joined('allocations'),
      ' GROUP BY x.provider_id, x.resource_class_id',
    ),
    traits: await read('x.provider_id, x.trait_id', joined('provider_traits'), ' ORDER BY x.provider_id, x.trait_id'),
    aggregates: await read('x.provider_id, x.aggregate_uuid', joined('provider_aggregates')),
  };
}

function assemble(lines: Lines, names: Names): Tree[] {
  const inventories = grouped(lines.inventories);
  const usages = grouped(lines.usages);
  const traits = grouped(lines.traits);
  const aggregates = grouped(lines.aggregates);
  const className = (id: number): string => names.classes.name(Number(id)) ?? missing('resource class', id);
  const trees = new Map<number, { records: ProviderRecord[]; revision: number }>();
  for (const row of lines.providers) {
    const id = Number(row.id);
    const rootId = Number(row.root_id);
    const record: ProviderRecord = {
      id,
      uuid: row.uuid,
      name: row.name,
      generation: Number(row.generation),
      revision: Number(row.revision),
      parentId: row.parent_id === null ? null : Number(row.parent_id),
      rootId,
      updatedAt: Number(row.updated_at),
      inventories: new Map((inventories.get(id) ?? []).map((r) => [className(r.resource_class_id), toInventory(r)])),
      used: new Map((usages.get(id) ?? []).map((r) => [className(r.resource_class_id), Number(r.used)])),
      traits: new Set(
        (traits.get(id) ?? []).map((r) => names.traits.name(Number(r.trait_id)) ?? missing('trait', r.trait_id)),
      ),
      aggregates: new Set((aggregates.get(id) ?? []).map((r) => r.aggregate_uuid)),
    };
    const tree = trees.get(rootId) ?? { records: [], revision: 0 };
    tree.records.push(record);
    tree.revision += Number(row.revision);
    trees.set(rootId, tree);
  }
  return [...trees.values()].map(({ records, revision }) => buildTree(records, revision));
}

/** The trees use a name that the given names do not have yet. */
export class NamesOutdated extends Error {}

const missing = (what: string, id: number): never => {
  throw new NamesOutdated(`no ${what} with id ${id}: the names that were read are older than the trees`);
};

export function toInventory(row: InventoryRow): Inventory {
  return {
    total: Number(row.total),
    reserved: Number(row.reserved),
    minUnit: Number(row.min_unit),
    maxUnit: Number(row.max_unit),
    stepSize: Number(row.step_size),
    allocationRatio: Number(row.allocation_ratio),
  };
}

function grouped<T extends Loose>(rows: readonly T[]): Map<number, T[]> {
  const map = new Map<number, T[]>();
  for (const row of rows) {
    const id = Number(row.provider_id);
    const list = map.get(id);
    if (list) list.push(row);
    else map.set(id, [row]);
  }
  return map;
}
