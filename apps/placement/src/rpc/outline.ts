/** Candidates in short, for a scheduler that has asked for the room of their roots. */
import type { CandidateOutline } from '@fractus/rpc-contracts';
import { freeOf } from '../domain/capacity';
import type { Provider } from '../domain/provider';
import type { Candidate } from '../domain/search';

export function toOutline(candidates: readonly Candidate[], roomOf: readonly string[]): CandidateOutline {
  const providers = new Places<Provider>((p) => p);
  for (const { anchor } of candidates) providers.of(anchor);
  const roots = [...providers.members];
  const demands = new Places<ReadonlyMap<string, number>>(demandKey);
  const lines = candidates.map(({ anchor, allocations }) => {
    const line = [providers.of(anchor)];
    for (const [provider, demand] of allocations) line.push(providers.of(provider), demands.of(demand));
    return line;
  });
  return {
    providers: providers.members.map((p) => p.uuid),
    demands: demands.members.map((d) => Object.fromEntries(d)),
    candidates: lines,
    room: Object.fromEntries(
      roomOf.map((rc) => [rc, roots.map((p) => (p.inventories.has(rc) ? freeOf(p, rc) : null))]),
    ),
  };
}

/** Members in the order in which they were first met, each once. */
class Places<T> {
  readonly members: T[] = [];
  private readonly known = new Map<unknown, number>();

  constructor(private readonly keyOf: (member: T) => unknown) {}

  of(member: T): number {
    const key = this.keyOf(member);
    let place = this.known.get(key);
    if (place === undefined) {
      place = this.members.push(member) - 1;
      this.known.set(key, place);
    }
    return place;
  }
}

function demandKey(demand: ReadonlyMap<string, number>): string {
  let key = '';
  for (const [rc, amount] of demand) key += `${rc}:${amount} `;
  return key;
}
