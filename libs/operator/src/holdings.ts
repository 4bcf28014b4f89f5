/**
 * Servers, migrations and hosts against what consumers hold in Placement: pure, so that `doctor`, which reads compute's
 * database, and `placement audit`, which knows the APIs alone, judge alike.
 *
 * A host is a tree of providers, whose root bears the uuid of the compute node. A server at rest holds something in its
 * own host's tree and nothing in another host's; a migration in progress holds, under its own uuid, what it may go back
 * to. Providers that share what they have (disk pools) belong to no host.
 */

/** Provider → what is held there. */
export type Holdings = Readonly<Record<string, unknown>>;

/** What a server that lives on `nodeId` holds: something there, nothing at all, or something elsewhere alone. */
export function holdingOf(
  nodeId: string,
  holdings: Holdings,
  rootOf: (providerId: string) => string = (id) => id,
): 'here' | 'none' | 'elsewhere' {
  const providers = Object.keys(holdings);
  if (providers.some((id) => rootOf(id) === nodeId)) return 'here';
  return providers.length === 0 ? 'none' : 'elsewhere';
}

export interface AuditedConsumer {
  readonly id: string;
  /** `INSTANCE`, `MIGRATION`, of somebody else's kind, or null where the writer told none. */
  readonly type: string | null;
  readonly projectId: string;
  readonly userId: string;
  readonly generation: number;
  readonly allocations: Holdings;
}

export interface AuditedServer {
  readonly id: string;
  readonly projectId: string;
  readonly userId: string;
  /** Uuid of the compute node it lives on; null for none. */
  readonly nodeId: string | null;
  /** Nobody is at work on it. */
  readonly atRest: boolean;
}

export interface AuditedMigration {
  readonly id: string;
  readonly serverId: string;
  readonly inProgress: boolean;
}

export interface AuditedProvider {
  readonly id: string;
  readonly name: string;
  readonly rootId: string;
  /** Has MISC_SHARES_VIA_AGGREGATE. */
  readonly shares: boolean;
  /** Says of itself that it is a compute node (COMPUTE_NODE). */
  readonly isNode: boolean;
}

export interface Audited {
  readonly servers: readonly AuditedServer[];
  /** Null where the cloud cannot be asked: then nothing is said of those that hold as one. */
  readonly migrations: readonly AuditedMigration[] | null;
  readonly consumers: readonly AuditedConsumer[];
  readonly providers: readonly AuditedProvider[];
  /** Uuids of all compute nodes. */
  readonly nodes: ReadonlySet<string>;
}

export const AUDIT_KINDS = ['orphan', 'missing', 'elsewhere', 'doubled', 'owner', 'hostless'] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

export interface AuditFinding {
  readonly kind: AuditKind;
  /** The consumer, server or provider. */
  readonly id: string;
  readonly text: string;
  /** Of orphans: what is to be removed if it is still the same. */
  readonly consumer?: AuditedConsumer;
  /** Why it must be left to an operator; absent where it may be removed. */
  readonly byHand?: string;
}

/** Everything that does not fit, in the order of AUDIT_KINDS. */
export function auditHoldings(audited: Audited): AuditFinding[] {
  const found = [...ofConsumers(audited), ...ofServers(audited), ...hostless(audited)];
  return AUDIT_KINDS.flatMap((kind) => found.filter((f) => f.kind === kind));
}

function ofConsumers({ servers, migrations, consumers }: Audited): AuditFinding[] {
  const serverOf = new Map(servers.map((s) => [s.id, s]));
  const migrationOf = new Map((migrations ?? []).map((m) => [m.id, m]));
  return consumers.flatMap((consumer): AuditFinding[] => {
    const migration = migrationOf.get(consumer.id);
    const server = serverOf.get(consumer.id) ?? (migration?.inProgress ? serverOf.get(migration.serverId) : undefined);
    if (server) return ownerOf(consumer, server);
    if (migration?.inProgress) return [];
    return orphan(consumer, migration, migrations !== null);
  });
}

function ownerOf(consumer: AuditedConsumer, server: AuditedServer): AuditFinding[] {
  if (consumer.projectId === server.projectId && consumer.userId === server.userId) return [];
  const has = `project ${consumer.projectId}, user ${consumer.userId}`;
  const text = `consumer ${consumer.id} is of ${has}; its server is of project ${server.projectId}, user ${server.userId}`;
  return [{ kind: 'owner', id: consumer.id, text }];
}

/** Consumers of other kinds are other services'. */
function orphan(
  consumer: AuditedConsumer,
  migration: AuditedMigration | undefined,
  migrationsKnown: boolean,
): AuditFinding[] {
  const { id, type } = consumer;
  if (type !== null && type !== 'INSTANCE' && type !== 'MIGRATION') return [];
  const where = Object.keys(consumer.allocations).join(', ');
  const why = migration ? 'is of a migration that has ended' : 'is of no server and no migration';
  const byHand =
    type === null
      ? 'its kind is unknown: it may be of another service'
      : type === 'MIGRATION' && !migrationsKnown
        ? 'this cloud does not show its migrations'
        : undefined;
  return [{ kind: 'orphan', id, consumer, text: `consumer ${id} on ${where} ${why}`, ...(byHand ? { byHand } : {}) }];
}

function ofServers({ servers, consumers, providers, nodes }: Audited): AuditFinding[] {
  const rootOf = rootsOf(providers);
  const holdingsOf = new Map(consumers.map((c) => [c.id, c.allocations]));
  return servers.flatMap(({ id, nodeId, atRest }): AuditFinding[] => {
    if (!atRest || nodeId === null) return [];
    const holdings = holdingsOf.get(id) ?? {};
    const others = Object.keys(holdings).filter((p) => rootOf(p) !== nodeId && nodes.has(rootOf(p)));
    switch (holdingOf(nodeId, holdings, rootOf)) {
      case 'none':
        return [{ kind: 'missing', id, text: `server ${id} lives on node ${nodeId} and holds nothing` }];
      case 'elsewhere':
        return [
          {
            kind: 'elsewhere',
            id,
            text: `server ${id} lives on node ${nodeId} and holds nothing there, but elsewhere`,
          },
        ];
      case 'here':
        return others.length === 0
          ? []
          : [
              {
                kind: 'doubled',
                id,
                text: `server ${id} lives on node ${nodeId} and holds on ${others.join(', ')} too`,
              },
            ];
    }
  });
}

function hostless({ providers, nodes }: Audited): AuditFinding[] {
  return providers
    .filter((p) => p.id === p.rootId && p.isNode && !p.shares && !nodes.has(p.id))
    .map((p) => ({ kind: 'hostless', id: p.id, text: `provider ${p.id} (${p.name}) is of no compute node` }));
}

function rootsOf(providers: readonly AuditedProvider[]): (id: string) => string {
  const roots = new Map(providers.map((p) => [p.id, p.rootId]));
  return (id) => roots.get(id) ?? id;
}
