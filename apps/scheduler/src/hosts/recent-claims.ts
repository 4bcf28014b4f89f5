/**
 * What this scheduler has claimed on each node lately. Reports lag behind claims: between them these are deducted from
 * a host's room, so that requests that come together do not all take the same host for the emptiest.
 */
export interface Claim {
  readonly serverId: string;
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly diskGb: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Several claims on one node together. */
export interface Taken {
  servers: number;
  vcpus: number;
  memoryMb: number;
  diskGb: number;
}

/** A report that comes this long after a claim is taken to know of it. */
const SETTLED_MS = 10_000;
/** Whatever the reports do, a claim is forgotten after this. */
const FORGOTTEN_MS = 120_000;

export class RecentClaims {
  private readonly byNode = new Map<string, Map<string, Claim>>();

  /** A server claims at one place: a later claim of it goes before the earlier one. */
  add(nodeId: string, claim: Claim): void {
    let claims = this.byNode.get(nodeId);
    if (!claims) this.byNode.set(nodeId, (claims = new Map()));
    claims.set(claim.serverId, claim);
  }

  remove(nodeId: string, serverId: string): void {
    const claims = this.byNode.get(nodeId);
    claims?.delete(serverId);
    if (claims?.size === 0) this.byNode.delete(nodeId);
  }

  /** The node reported at `now`: claims that it must know of by now are dropped. */
  reported(nodeId: string, now: number): void {
    for (const claim of this.byNode.get(nodeId)?.values() ?? []) {
      if (now - claim.at >= SETTLED_MS) this.remove(nodeId, claim.serverId);
    }
  }

  /** What is claimed on the node: in all, and by claims made at `asOf` or later. */
  on(nodeId: string, now: number, asOf: number): { readonly all: Readonly<Taken>; readonly since: Readonly<Taken> } {
    const claims = this.byNode.get(nodeId);
    if (!claims) return NOTHING;
    const [all, since] = [{ ...NONE }, { ...NONE }];
    for (const claim of claims.values()) {
      if (now - claim.at >= FORGOTTEN_MS) {
        this.remove(nodeId, claim.serverId);
        continue;
      }
      add(all, claim);
      if (claim.at >= asOf) add(since, claim);
    }
    return { all, since };
  }
}

const NONE: Readonly<Taken> = Object.freeze({ servers: 0, vcpus: 0, memoryMb: 0, diskGb: 0 });
const NOTHING = Object.freeze({ all: NONE, since: NONE });

function add(taken: Taken, claim: Claim): void {
  taken.servers++;
  taken.vcpus += claim.vcpus;
  taken.memoryMb += claim.memoryMb;
  taken.diskGb += claim.diskGb;
}
