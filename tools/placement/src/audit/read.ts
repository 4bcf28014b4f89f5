/** What the APIs of Placement and Compute tell, for all projects, as the audit judges it. */
import { isFractusError } from '@fractus/objects';
import type {
  Api,
  Audited,
  AuditedConsumer,
  AuditedMigration,
  AuditedProvider,
  AuditedServer,
  Holdings,
} from '@fractus/operator';

const PAGE = 500;
/** Questions under way at once. */
const WIDTH = 8;
/** Upstream's migrations that hold nothing any more. `finished` waits for the confirmation of a resize. */
const ENDED = new Set(['completed', 'confirmed', 'reverted', 'error', 'failed', 'cancelled', 'done']);
/** Task states are null where nobody is at work; these servers have no task and are at work all the same. */
const UNSETTLED = new Set(['BUILD', 'REBUILD', 'DELETED', 'SOFT_DELETED', 'SHELVED_OFFLOADED']);

export interface Apis {
  readonly placement: Api;
  readonly compute: Api;
}

/**
 * Servers are read before and after Placement: one that comes or goes meanwhile is not held against anybody. At rest is
 * who was so both times, on the same node.
 */
export async function readAudited({ placement, compute }: Apis): Promise<Audited> {
  const nodes = await readNodes(compute);
  const before = await readServers(compute, nodes.byHost);
  const providers = await readProviders(placement);
  const consumers = await readConsumers(placement, providers);
  const after = await readServers(compute, nodes.byHost);
  const known = new Map([...before, ...after].map((s) => [s.id, s]));
  const settled = new Map(before.filter((s) => s.atRest).map((s) => [s.id, s.nodeId]));
  const servers = [...known.values()].map((s) => ({
    ...s,
    atRest: s.atRest && settled.get(s.id) === s.nodeId && after.some((a) => a.id === s.id),
  }));
  return { servers, migrations: await readMigrations(compute), consumers, providers, nodes: nodes.ids };
}

interface ServerView {
  readonly id: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly status: string;
  readonly 'OS-EXT-STS:task_state': string | null;
  readonly 'OS-EXT-SRV-ATTR:host': string | null;
  readonly 'OS-EXT-SRV-ATTR:hypervisor_hostname': string | null;
}

async function readServers(compute: Api, byHost: ReadonlyMap<string, string>): Promise<AuditedServer[]> {
  const servers: AuditedServer[] = [];
  for await (const s of pages<ServerView>(compute, '/servers/detail', 'servers', { all_tenants: '1' })) {
    const { [HOST]: host, [NODE]: node } = s;
    const nodeId = host === null || node === null ? null : (byHost.get(`${host} ${node}`) ?? null);
    const atRest = s['OS-EXT-STS:task_state'] === null && !UNSETTLED.has(s.status);
    servers.push({ id: s.id, projectId: s.tenant_id, userId: s.user_id, nodeId, atRest });
  }
  return servers;
}
const HOST = 'OS-EXT-SRV-ATTR:host';
const NODE = 'OS-EXT-SRV-ATTR:hypervisor_hostname';

interface Nodes {
  readonly ids: ReadonlySet<string>;
  /** `host node` → uuid. */
  readonly byHost: ReadonlyMap<string, string>;
}

async function readNodes(compute: Api): Promise<Nodes> {
  interface View {
    readonly id: string;
    readonly hypervisor_hostname: string;
    readonly service: { readonly host: string };
  }
  const byHost = new Map<string, string>();
  for await (const h of pages<View>(compute, '/os-hypervisors/detail', 'hypervisors'))
    byHost.set(`${h.service.host} ${h.hypervisor_hostname}`, h.id);
  return { ids: new Set(byHost.values()), byHost };
}

/** Null where there is no such API. */
export async function readMigrations(compute: Api): Promise<AuditedMigration[] | null> {
  interface View {
    readonly uuid: string;
    readonly instance_uuid: string;
    readonly status: string;
  }
  try {
    const found: AuditedMigration[] = [];
    for await (const m of pages<View>(compute, '/os-migrations', 'migrations', {}, 'uuid'))
      found.push({ id: m.uuid, serverId: m.instance_uuid, inProgress: !ENDED.has(m.status) });
    return found;
  } catch (e) {
    if (isFractusError(e, 'not_found')) return null;
    throw e;
  }
}

async function* pages<T extends object>(
  api: Api,
  path: string,
  key: string,
  query: Record<string, string> = {},
  id: 'id' | 'uuid' = 'id',
): AsyncGenerator<T> {
  for (let marker: string | undefined; ;) {
    const { body } = await api.get(path, { query: { ...query, limit: PAGE, marker } });
    const page = (body as Record<string, T[]>)[key] ?? [];
    yield* page;
    // an answer may be cut shorter than was asked for: only an empty one is the last
    const last = page.at(-1) as Record<string, string> | undefined;
    if (last === undefined) return;
    marker = last[id];
  }
}

async function readProviders(placement: Api): Promise<AuditedProvider[]> {
  interface View {
    readonly uuid: string;
    readonly name: string;
    readonly root_provider_uuid: string;
  }
  const ask = async (required?: string): Promise<View[]> => {
    const { body } = await placement.get('/resource_providers', { query: { required } });
    return (body as { resource_providers: View[] }).resource_providers;
  };
  const having = async (trait: string): Promise<Set<string>> => new Set((await ask(trait)).map((p) => p.uuid));
  const [shares, nodes] = [await having('MISC_SHARES_VIA_AGGREGATE'), await having('COMPUTE_NODE')];
  return (await ask()).map((p) => ({
    ...{ id: p.uuid, name: p.name, rootId: p.root_provider_uuid },
    ...{ shares: shares.has(p.uuid), isNode: nodes.has(p.uuid) },
  }));
}

/** All consumers, found by the providers on which they hold something. */
async function readConsumers(placement: Api, providers: readonly AuditedProvider[]): Promise<AuditedConsumer[]> {
  const ids = new Set<string>();
  await eachOf(providers, async ({ id }) => {
    const { status, body } = await placement.get(`/resource_providers/${id}/allocations`, { accept: [404] });
    if (status === 404) return;
    for (const consumer of Object.keys((body as { allocations: object }).allocations)) ids.add(consumer);
  });
  const found: AuditedConsumer[] = [];
  await eachOf([...ids], async (id) => {
    const consumer = await readConsumer(placement, id);
    if (consumer) found.push(consumer);
  });
  return found;
}

/** Null when it holds nothing (any more). */
export async function readConsumer(placement: Api, id: string): Promise<AuditedConsumer | null> {
  interface View {
    readonly allocations: Holdings;
    readonly project_id: string;
    readonly user_id: string;
    readonly consumer_generation: number;
    readonly consumer_type?: string;
  }
  const { allocations, ...rest } = (await placement.get(`/allocations/${id}`)).body as View;
  if (Object.keys(allocations).length === 0) return null;
  const { consumer_type: type, project_id: projectId, user_id: userId, consumer_generation: generation } = rest;
  // what was never told is shown as `unknown`
  return {
    id,
    type: type === undefined || type === 'unknown' ? null : type,
    projectId,
    userId,
    generation,
    allocations,
  };
}

async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
}
