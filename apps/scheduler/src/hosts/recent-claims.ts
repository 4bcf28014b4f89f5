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

const NONE: Readonly<Taken> = Object.freeze({ servers: 0, vcpus: 0, memoryMb: 0, diskGb: 0 });
const NOTHING = Object.freeze({ all: NONE, since: NONE });

/** The claims on one node, the oldest first, with their sum: every request asks for those of every host. */
interface NodeClaims {
  readonly claims: Claim[];
  readonly all: Taken;
}

export class RecentClaims {
  private readonly byNode = new Map<string, NodeClaims>();

  /** A server claims at one place: a later claim of it goes before the earlier one. */
  add(nodeId: string, claim: Claim): void {
    this.remove(nodeId, claim.serverId);
    let node = this.byNode.get(nodeId);
    if (!node) this.byNode.set(nodeId, (node = { claims: [], all: { ...NONE } }));
    node.claims.push(claim);
    count(node.all, claim, 1);
  }

  remove(nodeId: string, serverId: string): void {
    const node = this.byNode.get(nodeId);
    const at = node?.claims.findLastIndex((c) => c.serverId === serverId) ?? -1;
    if (node && at >= 0) this.drop(nodeId, node, at, 1);
  }

  /** The node reported at `now`: claims that it must know of by now are dropped. */
  reported(nodeId: string, now: number): void {
    this.dropUntil(nodeId, now - SETTLED_MS);
  }

  /** What is claimed on the node: in all, and by claims made at `asOf` or later. */
  on(nodeId: string, now: number, asOf: number): { readonly all: Readonly<Taken>; readonly since: Readonly<Taken> } {
    this.dropUntil(nodeId, now - FORGOTTEN_MS);
    const node = this.byNode.get(nodeId);
    if (!node) return NOTHING;
    const { claims, all } = node;
    const since = { ...NONE };
    for (let i = claims.length - 1; i >= 0; i--) {
      const claim = claims[i] as Claim;
      if (claim.at < asOf) break;
      count(since, claim, 1);
    }
    return { all, since };
  }

  private dropUntil(nodeId: string, last: number): void {
    const node = this.byNode.get(nodeId);
    if (!node) return;
    let old = 0;
    while (old < node.claims.length && (node.claims[old] as Claim).at <= last) old++;
    if (old > 0) this.drop(nodeId, node, 0, old);
  }

  private drop(nodeId: string, node: NodeClaims, from: number, length: number): void {
    for (const claim of node.claims.splice(from, length)) count(node.all, claim, -1);
    if (node.claims.length === 0) this.byNode.delete(nodeId);
  }
}

function count(taken: Taken, claim: Claim, sign: 1 | -1): void {
  taken.servers += sign;
  taken.vcpus += sign * claim.vcpus;
  taken.memoryMb += sign * claim.memoryMb;
  taken.diskGb += sign * claim.diskGb;
}
