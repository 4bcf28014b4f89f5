import { HostsRepository, openComputeDatabase } from '@fractus/compute-db';
import { loadConfig } from '@fractus/config';
import type { Database } from '@fractus/database';
import { noauth } from '@fractus/http';
import type { Served } from '@fractus/microversions';
import { unavailable, unimplemented, type RequestContext } from '@fractus/objects';
import { createInProcessTransport, RpcServer } from '@fractus/rpc';
import {
  computeContract,
  placementContract,
  type Contract,
  type HostState,
  type ProviderRecord,
  type UpdateProviders,
} from '@fractus/rpc-contracts';
import { createMetrics, silentLogger } from '@fractus/telemetry';
import { ComputeApiConfig, startComputeApi } from '../../src/app.module';
import { contractExists, responseFault } from '../contract/contract';

export const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A compute node as an agent reports it. */
export const hostState = (n: number, more: Partial<HostState> = {}): HostState => ({
  host: `h${n}`,
  node: `node-${n}.example`,
  nodeId: uuid(n),
  hypervisorType: 'simulated',
  hypervisorVersion: 1000,
  hostIp: '10.0.0.1',
  vcpus: 8,
  memoryMb: 16_384,
  diskGb: 100,
  vcpusUsed: 2,
  memoryMbUsed: 1024,
  diskGbUsed: 10,
  runningGuests: 1,
  ioOps: 0,
  failedBuilds: 0,
  cpuInfo: '{"arch": "x86_64"}',
  architecture: 'x86_64',
  capabilities: {},
  traits: [],
  uptimeSeconds: 90_061,
  ...more,
});

export interface Answer {
  status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a story reads whatever the wire brings
  body: any;
}

/** The API over a database with three hosts, an agent that serves the first two, and a placement that remembers. */
export interface HostsWorld {
  readonly db: Database;
  readonly hosts: HostsRepository;
  readonly providers: Map<string, ProviderRecord>;
  /** What the agents were asked. */
  readonly asked: string[];
  /** The next updates of providers that placement is to refuse because another writer came between. */
  conflicts: number;
  call(method: string, path: string, version?: string, body?: unknown, token?: string): Promise<Answer>;
  addServer(n: number, host: string, projectId?: string): Promise<void>;
  close(): Promise<void>;
}

export async function startHostsWorld(): Promise<HostsWorld> {
  const db = await openComputeDatabase({ url: 'sqlite::memory:' });
  const hosts = new HostsRepository(db);
  let next = 900;
  const newId = (): string => uuid(next++);
  await hosts.register(
    { agentId: 'a', incarnation: 1, serviceVersion: 66 },
    [hostState(1), hostState(2), hostState(3)],
    newId,
    Date.now(),
  );
  await hosts.heartbeat('nova-conductor', 'control', newId, Date.now());
  const transport = createInProcessTransport();
  const world = { providers: new Map<string, ProviderRecord>(), asked: [] as string[], conflicts: 0 };
  for (const n of [1, 2, 3]) world.providers.set(uuid(n), provider(n));
  const servers = [await serveAgents(transport, world.asked), await servePlacement(transport, world)];
  const wrong: string[] = [];
  const api = await startComputeApi({
    config: loadConfig(ComputeApiConfig, { overrides: { port: 0 } }),
    database: db,
    transport,
    clients: { tokens: noauth(), images: {} as never, networks: {} as never },
    logger: silentLogger(),
    metrics: createMetrics(),
    observe: (served) => wrong.push(...faultsOf(served)),
  });

  const call: HostsWorld['call'] = async (method, path, version = '2.1', body, token = 'admin:ops') => {
    const response = await fetch(`${api.url ?? ''}/v2.1${path}`, {
      method,
      headers: {
        'x-auth-token': token,
        'openstack-api-version': `compute ${version}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };

  return Object.assign(world, {
    db,
    hosts,
    call,
    addServer: (n: number, host: string, projectId = 'p1') => insertServer(db, n, host, projectId),
    close: async () => {
      await api.close();
      await Promise.all(servers.map((s) => s.close()));
      await transport.close();
      await db.close();
    },
  });
}

function faultsOf({ operation, version, legacy, status, body }: Served): string[] {
  if (!contractExists || legacy || status >= 300) return [];
  const fault = responseFault(operation, version, body === undefined ? undefined : JSON.parse(JSON.stringify(body)));
  return fault ? [fault] : [];
}

const provider = (n: number): ProviderRecord => ({
  providerId: uuid(n),
  name: `node-${n}.example`,
  generation: 1,
  parentId: null,
  rootId: uuid(n),
  inventories: {},
  usages: {},
  traits: [],
  aggregates: [uuid(777)],
});

type Transport = ReturnType<typeof createInProcessTransport>;

type Handler = (ctx: RequestContext, request: never) => Promise<object>;

/** Serves the contract with these methods; the others answer that nobody has built them. */
async function serve(
  transport: Transport,
  contract: Contract,
  options: { hosts?: string[]; instance?: string },
  handlers: Record<string, Handler>,
): Promise<RpcServer> {
  const server = new RpcServer(transport, { contracts: [contract], ...options });
  for (const [name, spec] of Object.entries(contract.methods)) {
    const handler = handlers[name] ?? (() => Promise.reject(unimplemented(name)));
    server.addHandler(`${contract.topic}.${name}`, handler as never, spec.kind !== 'call');
  }
  await server.start();
  return server;
}

function serveAgents(transport: Transport, asked: string[]): Promise<RpcServer> {
  return serve(
    transport,
    computeContract,
    { hosts: ['h1', 'h2'], instance: 'agent' },
    {
      setHostEnabled: async (_ctx, { enabled, reason }: { enabled: boolean; reason?: string }) => {
        asked.push(`enabled=${String(enabled)} ${reason ?? ''}`.trim());
        return {};
      },
      getUptime: async () => ({ uptime: ' 10:00:00 up 5 days,  1:00' }),
    },
  );
}

function servePlacement(
  transport: Transport,
  world: { providers: Map<string, ProviderRecord>; conflicts: number },
): Promise<RpcServer> {
  return serve(
    transport,
    placementContract,
    {},
    {
      getProviders: async (_ctx, { providerIds }: { providerIds: string[] }) => ({
        providers: providerIds.flatMap((id) => world.providers.get(id) ?? []),
      }),
      updateProviders: async (_ctx, { updates }: UpdateProviders) => ({
        results: updates.map((u) => update(world, u)),
      }),
      deleteProvider: async (_ctx, { providerId }: { providerId: string }) => {
        if (world.conflicts-- > 0) throw unavailable('placement is down');
        return { deleted: world.providers.delete(providerId) };
      },
    },
  );
}

function update(
  world: { providers: Map<string, ProviderRecord>; conflicts: number },
  { providerId, aggregates = [] }: UpdateProviders['updates'][number],
): object {
  const known = world.providers.get(providerId);
  if (!known || world.conflicts-- > 0) return { providerId, generation: null, error: 'placement.concurrent_update' };
  const generation = known.generation + 1;
  world.providers.set(providerId, { ...known, aggregates, generation });
  return { providerId, generation };
}

/** A row with what the resources under test read; the columns without a default get what the schema asks for. */
async function insertServer(db: Database, n: number, host: string, projectId: string): Promise<void> {
  const columns = await db.query<{ name: string; type: string; notnull: number; pk: number }>(
    'PRAGMA table_info(servers)',
  );
  const given: Record<string, string | number> = {
    uuid: uuid(5000 + n),
    name: `server-${n}`,
    host,
    project_id: projectId,
    user_id: 'u1',
    vm_state: 'active',
    created_at: n,
  };
  const filler = ({ name, type }: { name: string; type: string }): string | number =>
    given[name] ?? (/INT/i.test(type) ? 0 : jsonColumn(name));
  const row = Object.fromEntries(
    columns.filter((c) => !c.pk && (c.notnull || c.name in given)).map((c) => [c.name, filler(c)]),
  );
  await db.transaction((tx) => tx.insert('servers', row));
}

const jsonColumn = (name: string): string => (['tags', 'nics', 'security_groups'].includes(name) ? '[]' : '{}');
