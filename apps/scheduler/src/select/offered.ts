/** Placement's answer as the pipeline takes it, from the outline or, of an older Placement, from the full form. */
import { internal } from '@fractus/objects';
import type { CandidateOutline, Candidates } from '@fractus/rpc-contracts';
import type { Allocations, Candidate } from '@fractus/scheduling';
import type { ProviderRoom } from '../hosts/host-cache';

/** What the scheduler reads of a root's room. */
export const ROOM_CLASSES = ['VCPU', 'MEMORY_MB', 'DISK_GB'] as const;

export interface Offered {
  readonly candidates: readonly Candidate[];
  /** The room of a root that a candidate is of, as Placement saw it at `asOf` (epoch milliseconds). */
  roomOf(rootId: string, asOf: number): ProviderRoom;
}

export function offeredBy({ outline, candidates, summaries }: Candidates): Offered {
  if (outline) return new Outlined(outline);
  return {
    candidates,
    roomOf(rootId, asOf) {
      const free = (name: string): number | undefined => {
        const found = summaries[rootId]?.resources[name];
        return found && found.capacity - found.used;
      };
      return room(asOf, free('VCPU'), free('MEMORY_MB'), free('DISK_GB'));
    },
  };
}

const room = (asOf: number, vcpus?: number, memoryMb?: number, diskGb?: number): ProviderRoom => ({
  asOf,
  vcpus,
  memoryMb,
  diskGb,
});

class Outlined implements Offered {
  readonly candidates: readonly Candidate[];
  private readonly places = new Map<string, number>();

  constructor(private readonly outline: CandidateOutline) {
    this.candidates = outline.candidates.map((line) => {
      const rootId = at(outline.providers, line[0]);
      this.places.set(rootId, line[0] as number);
      return new OutlinedCandidate(outline, line, rootId);
    });
  }

  roomOf(rootId: string, asOf: number): ProviderRoom {
    const place = this.places.get(rootId) ?? -1;
    const { VCPU, MEMORY_MB, DISK_GB } = this.outline.room;
    return room(asOf, VCPU?.[place] ?? undefined, MEMORY_MB?.[place] ?? undefined, DISK_GB?.[place] ?? undefined);
  }
}

/** Written out when it is claimed or named as an alternate: most never are. */
class OutlinedCandidate implements Candidate {
  constructor(
    private readonly outline: CandidateOutline,
    private readonly line: readonly number[],
    readonly rootId: string,
  ) {}

  get allocations(): Allocations {
    const { providers, demands } = this.outline;
    const all: Allocations = {};
    for (let i = 1; i < this.line.length; i += 2)
      all[at(providers, this.line[i])] = { resources: at(demands, this.line[i + 1]) };
    return all;
  }
}

function at<T>(list: readonly T[], place: number | undefined): T {
  const member = place === undefined ? undefined : list[place];
  if (member === undefined)
    throw internal(`an outline of candidates names place ${place} of ${list.length}`, { code: 'rpc.answer' });
  return member;
}
