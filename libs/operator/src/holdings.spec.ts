import { auditHoldings, type Audited, type AuditedConsumer, type AuditedServer, holdingOf } from './holdings';

const [A, B, NUMA, POOL, GHOST] = ['node-a', 'node-b', 'numa-a', 'pool', 'ghost'];
const provider = (id: string, more: object = {}) => ({
  id,
  name: id,
  rootId: id,
  shares: false,
  isNode: true,
  ...more,
});
const server = (id: string, more: Partial<AuditedServer> = {}): AuditedServer => ({
  ...{ id, projectId: 'p', userId: 'u', nodeId: A, atRest: true, ...more },
});
const holds = (id: string, providers: string[], more: Partial<AuditedConsumer> = {}): AuditedConsumer => ({
  ...{ id, type: 'INSTANCE', projectId: 'p', userId: 'u', generation: 1 },
  allocations: Object.fromEntries(providers.map((p) => [p, {}])),
  ...more,
});
const audited = (more: Partial<Audited>): Audited => ({
  ...{ servers: [], migrations: [], consumers: [], nodes: new Set([A, B]) },
  providers: [
    provider(A),
    provider(B),
    provider(NUMA, { rootId: A, isNode: false }),
    provider(POOL, { shares: true, isNode: false }),
  ],
  ...more,
});
const kinds = (more: Partial<Audited>): string[] => auditHoldings(audited(more)).map((f) => `${f.kind} ${f.id}`);

describe('what servers hold', () => {
  it('is on their host, nowhere, or elsewhere', () => {
    expect(holdingOf(A, { [A]: {} })).toBe('here');
    expect(holdingOf(A, {})).toBe('none');
    expect(holdingOf(A, { [B]: {} })).toBe('elsewhere');
    expect(holdingOf(A, { [NUMA]: {} }, (id) => (id === NUMA ? A : id))).toBe('here');
  });

  it('fits where a server holds in the tree of its host and of a pool', () => {
    expect(kinds({ servers: [server('s')], consumers: [holds('s', [NUMA, POOL])] })).toEqual([]);
  });

  it('is missing, elsewhere or doubled, of servers at rest alone', () => {
    const servers = ['none', 'away', 'both'].map((id) => server(id));
    const consumers = [holds('away', [B]), holds('both', [A, B])];
    expect(kinds({ servers, consumers })).toEqual(['missing none', 'elsewhere away', 'doubled both']);
    const busy = servers.map((s) => ({ ...s, atRest: false }));
    expect(kinds({ servers: busy, consumers })).toEqual([]);
    expect(kinds({ servers: [server('built', { nodeId: null })] })).toEqual([]);
  });

  it('is orphan without a server, for both kinds of consumers and any resource class', () => {
    const consumers = [holds('s', [A]), holds('m', [B], { type: 'MIGRATION' })];
    expect(kinds({ consumers })).toEqual(['orphan s', 'orphan m']);
    const migration = { id: 'm', serverId: 's', inProgress: true };
    expect(kinds({ servers: [server('s')], migrations: [migration], consumers })).toEqual([]);
    const ended = { ...migration, inProgress: false };
    expect(kinds({ servers: [server('s')], migrations: [ended], consumers })).toEqual(['orphan m']);
  });

  it('leaves to an operator what may be of somebody else, and says nothing of other kinds', () => {
    const consumers = [
      holds('a', [A], { type: null }),
      holds('b', [A], { type: 'CONTAINER' }),
      holds('c', [A], { type: 'MIGRATION' }),
    ];
    const found = auditHoldings(audited({ consumers, migrations: null }));
    expect(found.map((f) => [f.id, f.byHand])).toEqual([
      ['a', expect.stringContaining('kind is unknown')],
      ['c', expect.stringContaining('does not show its migrations')],
    ]);
  });

  it('belongs to the owner of the server', () => {
    const consumers = [holds('s', [A], { projectId: 'q' })];
    expect(kinds({ servers: [server('s')], consumers })).toEqual(['owner s']);
  });

  it('is of hosts that there are', () => {
    const providers = [...audited({}).providers, provider(GHOST)];
    expect(kinds({ providers })).toEqual([`hostless ${GHOST}`]);
  });
});
