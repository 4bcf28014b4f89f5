/** What a distributed cloud has written down of its servers, held against the servers that there are. */
import { readBooks, type DistributedCloud } from '@fractus/testing';
import type { Shown } from './boots';

/** What m1.nano takes. */
const HELD = { VCPU: 1, MEMORY_MB: 128, DISK_GB: 1 };
const sorted = (ids: Iterable<string>): string[] => [...ids].sort();

interface Task {
  readonly type: string;
  readonly step: string;
  readonly status: string;
  readonly server_id: string;
}

/** Tasks that are not ended, letters that nobody could deliver, in sentences. Empty is good. */
export async function loose(cloud: DistributedCloud): Promise<string[]> {
  const tasks = await cloud.query<Task>('compute', "SELECT * FROM tasks WHERE status = 'open'");
  const letters = await cloud.deadLetters();
  return [
    ...tasks.map((t) => `task ${t.type} of ${t.server_id} is open at ${t.step}`),
    ...letters.map((l) => `dead letter ${JSON.stringify(l).slice(0, 600)}`),
  ];
}

/**
 * Every book agrees with the servers of the one project that has any: guests, allocations, ports and quota are those of
 * the servers, no more and no less; no server ever had two guests.
 */
export async function booksMatch(cloud: DistributedCloud, project: string, servers: readonly Shown[]): Promise<void> {
  const active = servers.filter((s) => s.status === 'ACTIVE');
  const ids = sorted(active.map((s) => s.id));
  const books = await readBooks(cloud, [project]);
  expect(books.doubles).toEqual([]);
  expect({ guests: sorted(books.guests), consumers: sorted(books.consumers) }).toEqual({ guests: ids, consumers: ids });
  expect(books.used).toBe(active.length * Object.values(HELD).reduce((a, b) => a + b));
  const { length: count } = servers;
  expect(books.quota[project]).toEqual({ instances: count, cores: count, ram: count * HELD.MEMORY_MB });
  expect(await wrongAllocations(cloud, active)).toEqual([]);
  expect(await wrongPorts(cloud, active)).toEqual([]);
}

/** Allocations that are not the flavor's on the provider of the server's host. */
async function wrongAllocations({ admin }: DistributedCloud, active: readonly Shown[]): Promise<unknown[]> {
  const version = '1.39';
  const { body } = await admin.placement.get('/resource_providers', { version });
  const nameOf = new Map((body.resource_providers as { uuid: string; name: string }[]).map((p) => [p.uuid, p.name]));
  const hosts = await hostsOf(admin);
  const wrong: unknown[] = [];
  for (const { id } of active) {
    const held = (await admin.placement.get(`/allocations/${id}`, { version })).body.allocations as Record<
      string,
      { resources: object }
    >;
    const found = Object.entries(held).map(([uuid, { resources }]) => [nameOf.get(uuid), resources]);
    const wanted = [[hosts.get(id), HELD]];
    if (JSON.stringify(normal(found)) !== JSON.stringify(normal(wanted))) wrong.push({ id, found, wanted });
  }
  return wrong;
}

const normal = (held: unknown[][]): unknown[] =>
  held.map(([host, resources]) => [host, Object.entries(resources as object).sort()]);

async function hostsOf(admin: DistributedCloud['admin']): Promise<Map<string, string>> {
  const { body } = await admin.compute.get('/servers/detail?all_tenants=1&limit=1000', { version: '2.104' });
  return new Map((body.servers as Shown[]).map((s) => [s.id, s['OS-EXT-SRV-ATTR:host'] ?? '']));
}

/** Every server has one port, bound to its host and up; no other server's port is there. */
async function wrongPorts({ admin }: DistributedCloud, active: readonly Shown[]): Promise<unknown[]> {
  interface Port {
    device_id: string;
    status: string;
    'binding:host_id': string;
  }
  const { body } = await admin.network.get('/ports');
  const ports = (body.ports as Port[]).filter((p) => p.device_id !== '');
  const hosts = await hostsOf(admin);
  const wanted = active.map(({ id }) => ({ device_id: id, status: 'ACTIVE', host: hosts.get(id) }));
  const found = ports.map((p) => ({ device_id: p.device_id, status: p.status, host: p['binding:host_id'] }));
  const texts = (list: object[]): Set<string> => new Set(list.map((o) => JSON.stringify(o)));
  const [w, f] = [texts(wanted), texts(found)];
  return [
    ...[...w].filter((t) => !f.has(t)).map((t) => `missing: ${t}`),
    ...[...f].filter((t) => !w.has(t)).map((t) => `too many: ${t}`),
    ...(found.length === f.size ? [] : ['a port is there twice']),
  ];
}
