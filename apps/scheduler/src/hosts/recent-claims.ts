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

  on(nodeId: string, now: number): Claim[] {
    const claims = this.byNode.get(nodeId);
    if (!claims) return [];
    for (const claim of claims.values()) if (now - claim.at >= FORGOTTEN_MS) this.remove(nodeId, claim.serverId);
    return [...claims.values()];
  }
}
