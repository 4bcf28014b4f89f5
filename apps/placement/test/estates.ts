/** Small estates written down in a line each, for tests. */
import { Estate } from '../src/domain/estate';
import { type Inventory, INVENTORY_DEFAULTS, type ProviderRecord, buildTree } from '../src/domain/provider';
import { type CandidateQuery, EMPTY_GROUP, EMPTY_QUERY, type RequestGroup } from '../src/domain/candidate-query';
import type { Candidate } from '../src/domain/search';

export interface Sketch {
  name: string;
  parent?: string;
  inv?: Record<string, number | (Partial<Inventory> & { total: number })>;
  used?: Record<string, number>;
  traits?: string[];
  aggs?: string[];
}

const inventory = (spec: number | (Partial<Inventory> & { total: number })): Inventory => ({
  ...INVENTORY_DEFAULTS,
  ...(typeof spec === 'number' ? { total: spec } : spec),
});

/** Providers get their name as uuid too; parents come before children. */
export function recordsOf(sketches: readonly Sketch[]): ProviderRecord[] {
  const ids = new Map(sketches.map((s, i) => [s.name, i + 1]));
  const byName = new Map(sketches.map((s) => [s.name, s]));
  const rootOf = (s: Sketch): Sketch => (s.parent === undefined ? s : rootOf(byName.get(s.parent)!));
  return sketches.map((s) => ({
    id: ids.get(s.name)!,
    uuid: s.name,
    name: s.name,
    generation: 0,
    revision: 1,
    parentId: s.parent === undefined ? null : ids.get(s.parent)!,
    rootId: ids.get(rootOf(s).name)!,
    updatedAt: 0,
    inventories: new Map(Object.entries(s.inv ?? {}).map(([rc, spec]) => [rc, inventory(spec)])),
    used: new Map(Object.entries(s.used ?? {})),
    traits: new Set(s.traits ?? []),
    aggregates: new Set(s.aggs ?? []),
  }));
}

export function estateOf(sketches: readonly Sketch[]): Estate {
  const estate = new Estate();
  const trees = new Map<number, ProviderRecord[]>();
  for (const r of recordsOf(sketches)) trees.set(r.rootId, [...(trees.get(r.rootId) ?? []), r]);
  for (const records of trees.values()) estate.put(buildTree(records, 1));
  return estate;
}

export type GroupSketch = Partial<Omit<RequestGroup, 'resources' | 'required'>> & {
  resources?: Record<string, number>;
  required?: (string | string[])[];
};

export const group = (g: GroupSketch): RequestGroup => ({
  ...EMPTY_GROUP,
  ...g,
  resources: new Map(Object.entries(g.resources ?? {})),
  required: (g.required ?? []).map((t) => (typeof t === 'string' ? [t] : t)),
});

export const query = (groups: GroupSketch[], more: Partial<CandidateQuery> = {}): CandidateQuery => ({
  ...EMPTY_QUERY,
  groups: groups.map(group),
  ...more,
});

/** One line a candidate, sorted: `cn1{VCPU:1} | 1=cn1`. */
export function show(candidates: readonly Candidate[]): string[] {
  return candidates.map(line).sort();
}

function line(c: Candidate): string {
  const allocations = [...c.allocations]
    .map(
      ([p, r]) =>
        `${p.uuid}{${[...r]
          .sort()
          .map(([rc, n]) => `${rc}:${n}`)
          .join()}}`,
    )
    .sort();
  const mappings = [...c.mappings]
    .map(
      ([s, ps]) =>
        `${s}=${ps
          .map((p) => p.uuid)
          .sort()
          .join()}`,
    )
    .sort();
  return `${allocations.join(' ')} | ${mappings.join(' ')}`;
}
