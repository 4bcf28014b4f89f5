/** Candidates in short, for a scheduler that has asked for the room of their roots. */
import type { CandidateOutline } from '@fractus/rpc-contracts';
import { freeOf } from '../domain/capacity';
import type { Provider } from '../domain/provider';
import type { Candidate } from '../domain/search';

export function toOutline(candidates: readonly Candidate[], roomOf: readonly string[]): CandidateOutline {
  const providers = new Places<Provider>((p) => p);
  for (const { anchor } of candidates) providers.of(anchor);
  const roots = [...providers.members];
  const demands = new Places<Demand>(demandKey);
  const lines: number[][] = [];
  // candidates of single providers are of one and the same demand
  let [last, lastPlace]: [Demand | undefined, number] = [undefined, -1];
  for (const { anchor, allocations } of candidates) {
    const line = [providers.of(anchor)];
    for (const [provider, demand] of allocations) {
      if (demand !== last) [last, lastPlace] = [demand, demands.of(demand)];
      line.push(provider === anchor ? (line[0] as number) : providers.of(provider), lastPlace);
    }
    lines.push(line);
  }
  return {
    providers: providers.members.map((p) => p.uuid),
    demands: demands.members.map((d) => Object.fromEntries(d)),
    candidates: lines,
    room: Object.fromEntries(
      roomOf.map((rc) => [rc, roots.map((p) => (p.inventories.has(rc) ? freeOf(p, rc) : null))]),
    ),
  };
}

type Demand = ReadonlyMap<string, number>;

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

function demandKey(demand: Demand): string {
  let key = '';
  for (const [rc, amount] of demand) key += `${rc}:${amount} `;
  return key;
}
