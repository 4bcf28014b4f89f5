/**
 * The rules of allocation candidates said the slow way: every anchor, every combination of every provider, each rule a
 * predicate over the whole. It shares nothing with the engine but the data types.
 */
import type { CandidateQuery, RequestGroup } from '../src/domain/candidate-query';
import type { ProviderRecord } from '../src/domain/provider';

interface Part {
  group: RequestGroup;
  rc?: string;
  provider: ProviderRecord;
}

const product = <T>(lists: T[][]): T[][] =>
  lists.reduce<T[][]>((acc, list) => acc.flatMap((head) => list.map((x) => [...head, x])), [[]]);
const meets = (have: ReadonlySet<string>, sets: readonly (readonly string[])[]): boolean =>
  sets.every((set) => set.some((x) => have.has(x)));
const free = (p: ProviderRecord, rc: string): number => {
  const inv = p.inventories.get(rc);
  return inv ? Math.floor((inv.total - inv.reserved) * inv.allocationRatio) - (p.used.get(rc) ?? 0) : -1;
};
const suits = (p: ProviderRecord, rc: string, n: number): boolean => {
  const inv = p.inventories.get(rc);
  return !!inv && n >= inv.minUnit && n <= inv.maxUnit && n % inv.stepSize === 0 && n <= free(p, rc);
};

/** `of`: those of one root alone, by its uuid. */
export function oracle(records: readonly ProviderRecord[], query: CandidateQuery, of?: string): string[] {
  const byId = new Map(records.map((r) => [r.id, r]));
  const shares = (r: ProviderRecord): boolean => r.traits.has('MISC_SHARES_VIA_AGGREGATE');
  const ancestors = (r: ProviderRecord): ProviderRecord[] =>
    r.parentId === null ? [r] : [r, ...ancestors(byId.get(r.parentId)!)];
  const found = new Set<string>();
  for (const anchor of records.filter((r) => r.parentId === null && (of === undefined || r.uuid === of))) {
    if (!query.rootRequired.every((t) => anchor.traits.has(t)) || query.rootForbidden.some((t) => anchor.traits.has(t)))
      continue;
    const members = records.filter((r) => r.rootId === anchor.id);
    const served = (r: ProviderRecord): boolean =>
      shares(r) && members.some((m) => [...m.aggregates].some((a) => r.aggregates.has(a)));
    const inReach = records.filter((r) => r.rootId === anchor.id || served(r));
    const lists = query.groups.flatMap((g): Part[][] => {
      const rootOfInTree = g.inTree === undefined ? undefined : records.find((r) => r.uuid === g.inTree)?.rootId;
      const inTree = (r: ProviderRecord): boolean => g.inTree === undefined || r.rootId === rootOfInTree;
      if (g.suffix !== '')
        return [
          inReach
            .filter(
              (r) =>
                inTree(r) &&
                [...g.resources].every(([rc, n]) => suits(r, rc, n)) &&
                meets(r.traits, g.required) &&
                !g.forbidden.some((t) => r.traits.has(t)),
            )
            .filter((r) => meets(r.aggregates, g.memberOf) && !g.notMemberOf.some((a) => r.aggregates.has(a)))
            .map((provider) => ({ group: g, provider })),
        ];
      const outside = (r: ProviderRecord): boolean => r.rootId !== anchor.id;
      return [...g.resources].map(([rc, n]) =>
        inReach
          .filter((r) => inTree(r) && !(outside(r) && g.inTree !== undefined) && suits(r, rc, n))
          .filter((r) =>
            g.memberOf.every((set) =>
              set.some((a) => r.aggregates.has(a) || (!outside(r) && anchor.aggregates.has(a))),
            ),
          )
          .filter((r) => !g.notMemberOf.some((a) => r.aggregates.has(a) || anchor.aggregates.has(a)))
          .map((provider) => ({ group: g, rc, provider })),
      );
    });
    for (const parts of product(lists)) if (valid(query, parts, ancestors)) found.add(render(query, parts));
  }
  return [...found].sort();
}

function valid(query: CandidateQuery, parts: Part[], ancestors: (r: ProviderRecord) => ProviderRecord[]): boolean {
  const loose = parts.filter((p) => p.group.suffix === '');
  for (const { group, provider } of loose) {
    if (group.forbidden.some((t) => provider.traits.has(t))) return false;
    if (!meets(new Set(loose.flatMap((p) => [...p.provider.traits])), group.required)) return false;
  }
  const granular = parts.filter((p) => p.group.suffix !== '');
  if (query.groupPolicy === 'isolate' && new Set(granular.map((p) => p.provider)).size !== granular.length)
    return false;
  for (const suffixes of query.sameSubtree) {
    const set = parts.filter((p) => suffixes.includes(p.group.suffix)).map((p) => p.provider);
    if (set.length && !set.some((top) => set.every((p) => ancestors(p).includes(top)))) return false;
  }
  for (const [provider, amounts] of sums(parts))
    for (const [rc, n] of amounts)
      if (n > free(provider, rc) || n > provider.inventories.get(rc)!.maxUnit) return false;
  const used = new Set(parts.map((p) => p.provider));
  return query.nestedAware || new Set([...used].map((p) => p.rootId)).size === used.size;
}

function sums(parts: Part[]): Map<ProviderRecord, Map<string, number>> {
  const out = new Map<ProviderRecord, Map<string, number>>();
  for (const { group, rc, provider } of parts) {
    const amounts = out.get(provider) ?? new Map<string, number>();
    for (const [name, n] of group.resources)
      if (rc === undefined || rc === name) amounts.set(name, (amounts.get(name) ?? 0) + n);
    if (amounts.size) out.set(provider, amounts);
  }
  return out;
}

function render(query: CandidateQuery, parts: Part[]): string {
  const allocations = [...sums(parts)]
    .map(
      ([p, r]) =>
        `${p.uuid}{${[...r]
          .sort()
          .map(([rc, n]) => `${rc}:${n}`)
          .join()}}`,
    )
    .sort();
  const mappings = query.groups
    .map(
      (g) =>
        `${g.suffix}=${[...new Set(parts.filter((p) => p.group === g).map((p) => p.provider.uuid))].sort().join()}`,
    )
    .sort();
  return `${allocations.join(' ')} | ${mappings.join(' ')}`;
}
