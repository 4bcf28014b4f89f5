/**
 * Companions keep each resource in one table whose columns mirror its attributes. A `ResourceTable` says which: from
 * it come the mapping between rows and wire objects, the filters a list accepts, and sorted, keyset-paged selects.
 * Values never reach SQL as text, and only declared columns can be named.
 */
import { placeholders, balanced, type SqlRow, type SqlValue } from '@fractus/database';
import { invalid } from '@fractus/objects';

export type AttributeType = 'text' | 'bool' | 'int' | 'json' | 'instant';

export interface Attribute {
  /** Name on the wire. */
  readonly name: string;
  readonly column: string;
  readonly type: AttributeType;
  /** Not shown: secrets, bookkeeping. */
  readonly hidden?: boolean;
}

export interface ResourceTable {
  readonly table: string;
  /** `user`, `security_group`: the key around one object. */
  readonly resource: string;
  /** `users`, `security_groups`: the key around a list. */
  readonly collection: string;
  readonly attributes: readonly Attribute[];
}

/** `text` attributes by their own names, then others as `[name, type, column?]`; a leading `-` hides. */
export function attributes(spec: readonly (string | readonly [string, AttributeType, string?])[]): Attribute[] {
  return spec.map((entry) => {
    const [raw, type, column] = typeof entry === 'string' ? ([entry, 'text', undefined] as const) : entry;
    const name = raw.replace(/^-/, '');
    return { name, type, column: column ?? name, ...(raw.startsWith('-') ? { hidden: true } : {}) };
  });
}

export type Wire = Record<string, unknown>;
export type Query = Readonly<Record<string, string | string[] | undefined>>;

/** A row as a wire object, hidden attributes left out. */
export function wireOfRow(table: ResourceTable, row: Record<string, unknown>): Wire {
  const wire: Wire = {};
  for (const a of table.attributes) if (!a.hidden) wire[a.name] = outOfColumn(a.type, row[a.column]);
  return wire;
}

function outOfColumn(type: AttributeType, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  switch (type) {
    case 'bool':
      return Number(value) === 1;
    case 'int':
      return Number(value);
    case 'json':
      return JSON.parse(String(value)) as unknown;
    case 'instant':
      return new Date(Number(value)).toISOString().replace(/\.\d+Z$/, 'Z');
    case 'text':
      return String(value);
  }
}

/** The columns of the shown attributes that `wire` carries. Hidden ones are never taken from a client's object. */
export function rowOfWire(table: ResourceTable, wire: Wire): SqlRow {
  const row: SqlRow = {};
  for (const a of table.attributes) {
    const value = wire[a.name];
    if (value !== undefined && !a.hidden) row[a.column] = intoColumn(a.type, value);
  }
  return row;
}

function intoColumn(type: AttributeType, value: unknown): SqlValue {
  if (value === null) return null;
  if (type === 'json') return JSON.stringify(value);
  if (type === 'bool') return value ? 1 : 0;
  return typeof value === 'number' ? value : String(value);
}

export interface Condition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** How a text is matched otherwise than as a whole. Case counts, but for `icontains`; alike on both databases. */
const MATCHERS: Readonly<Record<string, (column: string, value: string) => Condition>> = {
  contains: (c, v) => ({ sql: `INSTR(${c}, ?) > 0`, params: [v] }),
  icontains: (c, v) => ({ sql: `INSTR(LOWER(${c}), LOWER(?)) > 0`, params: [v] }),
  startswith: (c, v) => ({ sql: `SUBSTR(${c}, 1, ${[...v].length}) = ?`, params: [v] }),
  endswith: (c, v) => ({
    sql: v === '' ? '1 = 1' : `SUBSTR(${c}, -${[...v].length}) = ?`,
    params: v === '' ? [] : [v],
  }),
};

/** One condition per query parameter that names an attribute; several values of one mean any of them. */
export function conditionsOf(table: ResourceTable, query: Query): Condition[] {
  return Object.entries(query).flatMap(([key, raw]) => {
    if (raw === undefined) return [];
    const [name, matcher] = key.split('__');
    const attribute = table.attributes.find((a) => a.name === name && !a.hidden && a.type !== 'json');
    if (!attribute) return [];
    const values = (Array.isArray(raw) ? raw : [raw]).map((v) => intoFilter(attribute, v));
    const match = matcher === undefined ? undefined : MATCHERS[matcher];
    if (match) {
      const any = values.map((v) => match(`t.${attribute.column}`, String(v)));
      const sql = balanced(
        any.map((c) => c.sql),
        'OR',
      );
      return [{ sql: `(${sql})`, params: any.flatMap((c) => [...c.params]) }];
    }
    if (matcher !== undefined) return [];
    return [anyOf(`t.${attribute.column}`, values)];
  });
}

/** `column IN (…)`, NULL for the empty word where it stands for "none". */
export function anyOf(column: string, values: readonly SqlValue[]): Condition {
  if (values.length === 0) return { sql: '1 = 0', params: [] };
  return { sql: `${column} IN (${placeholders(values)})`, params: values };
}

function intoFilter(attribute: Attribute, value: string): SqlValue {
  if (attribute.type === 'bool') {
    if (/^(true|1|t|yes|y|on)?$/i.test(value)) return 1;
    if (/^(false|0|f|no|n|off)$/i.test(value)) return 0;
    throw invalid(`'${value}' is not a boolean value for ${attribute.name}.`, { code: 'query.boolean' });
  }
  if (attribute.type === 'int') {
    if (!/^-?\d{1,15}$/.test(value))
      throw invalid(`'${value}' is not an integer value for ${attribute.name}.`, { code: 'query.integer' });
    return Number(value);
  }
  return value;
}

export interface SortKey {
  readonly column: string;
  readonly numeric: boolean;
  readonly descending: boolean;
}

/** A sort key by attribute name. @throws invalid for one that cannot be sorted by. */
export function sortKey(table: ResourceTable, name: string, direction: string): SortKey {
  const attribute = table.attributes.find((a) => a.name === name && !a.hidden && a.type !== 'json');
  if (!attribute) throw invalid(`${name} is not an attribute that can be sorted by.`, { code: 'query.sort_key' });
  if (direction !== 'asc' && direction !== 'desc') {
    throw invalid(`Sort direction must be asc or desc, not '${direction}'.`, { code: 'query.sort_dir' });
  }
  return { column: attribute.column, numeric: attribute.type !== 'text', descending: direction === 'desc' };
}

export interface Page {
  readonly sort: readonly SortKey[];
  readonly limit?: number;
  /** The row after which the page begins. */
  readonly after?: Record<string, unknown>;
}

/** A select over alias `t`, in a total order that ends in the id. */
export function selectPage(
  table: ResourceTable,
  conditions: readonly Condition[],
  page: Page,
): { sql: string; params: SqlValue[] } {
  const asked = page.sort.filter((k, i) => page.sort.findIndex((o) => o.column === k.column) === i);
  const sort = [...asked, { column: 'id', numeric: false, descending: page.sort.at(-1)?.descending ?? false }];
  const all = page.after ? [...conditions, beyond(sort, page.after)] : conditions;
  const where = all.length
    ? ` WHERE ${balanced(
        all.map((c) => c.sql),
        'AND',
      )}`
    : '';
  const order = sort.map((k) => `${comparable(k)} ${k.descending ? 'DESC' : 'ASC'}`).join(', ');
  const limit = page.limit === undefined ? '' : ` LIMIT ${Math.trunc(page.limit)}`;
  return {
    sql: `SELECT t.* FROM ${table.table} t${where} ORDER BY ${order}${limit}`,
    params: all.flatMap((c) => [...c.params]),
  };
}

// NULLs sort differently by engine: give them a value
const comparable = (k: SortKey): string =>
  k.column === 'id' ? 't.id' : `COALESCE(t.${k.column}, ${k.numeric ? '-1' : "''"})`;

function beyond(sort: readonly SortKey[], after: Record<string, unknown>): Condition {
  const value = (k: SortKey): SqlValue => (after[k.column] ?? (k.numeric ? -1 : '')) as SqlValue;
  const params: SqlValue[] = [];
  const steps = sort.map((key, i) => {
    const equal = sort.slice(0, i).map((k) => {
      params.push(value(k));
      return `${comparable(k)} = ?`;
    });
    params.push(value(key));
    return `(${[...equal, `${comparable(key)} ${key.descending ? '<' : '>'} ?`].join(' AND ')})`;
  });
  return { sql: `(${steps.join(' OR ')})`, params };
}
