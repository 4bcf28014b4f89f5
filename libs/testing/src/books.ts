/** What a cloud holds, read from every book that is kept of it; after everything is deleted they must all be empty. */
import { doubleGuests, type DoubleGuest, type LedgerEntry } from '@fractus/virt-simulated';
import type { CloudUser } from './cloud-user';
import { eventually } from './eventually';

export interface Books {
  /** Servers that are not deleted, over all projects. */
  readonly servers: readonly string[];
  /** Consumers that hold allocations on any provider. */
  readonly consumers: readonly string[];
  /** Units in use, summed over all providers and classes. */
  readonly used: number;
  /** Ports that belong to a server. */
  readonly ports: readonly string[];
  /** Servers with a guest on some hypervisor, in the driver's ledger. */
  readonly guests: readonly string[];
  /** Moments at which a server had two guests. */
  readonly doubles: readonly DoubleGuest[];
  /** Instances, cores and RAM (MiB) in use of each project asked for. */
  readonly quota: Readonly<Record<string, { instances: number; cores: number; ram: number }>>;
}

interface Kept {
  readonly admin: CloudUser;
  ledger(): LedgerEntry[];
}

export async function readBooks(kept: Kept, projects: readonly string[] = []): Promise<Books> {
  const { admin } = kept;
  const ledger = kept.ledger();
  const alive = new Map<string, number>();
  for (const { serverId, effect } of ledger) {
    if (effect === 'spawn') alive.set(serverId, (alive.get(serverId) ?? 0) + 1);
    if (effect === 'destroy') alive.set(serverId, (alive.get(serverId) ?? 0) - 1);
  }
  const quota: Record<string, { instances: number; cores: number; ram: number }> = {};
  for (const project of projects) {
    const { body } = await admin.compute.get(`/os-quota-sets/${project}/detail`);
    const { instances, cores, ram } = body.quota_set;
    quota[project] = { instances: instances.in_use, cores: cores.in_use, ram: ram.in_use };
  }
  return {
    servers: await serverIds(admin),
    ...(await allocated(admin)),
    ports: await serverPorts(admin),
    guests: [...alive].filter(([, count]) => count > 0).map(([id]) => id),
    doubles: doubleGuests(ledger),
    quota,
  };
}

/** Waits until nothing is left in any book. */
export async function everythingIsGone(kept: Kept, projects: readonly string[] = []): Promise<void> {
  await eventually('every book is empty', async () => {
    const { servers, consumers, used, ports, guests, quota } = await readBooks(kept, projects);
    const sums = Object.values(quota).reduce((sum, q) => sum + q.instances + q.cores + q.ram, 0);
    const counts = {
      servers: servers.length,
      consumers: consumers.length,
      used,
      ports: ports.length,
      guests: guests.length,
      quota: sums,
    };
    return Object.values(counts).every((n) => n === 0) ? true : JSON.stringify(counts);
  });
}

async function serverIds(admin: CloudUser): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const marker = ids.at(-1);
    const { body } = await admin.compute.get(`/servers?all_tenants=1&limit=1000${marker ? `&marker=${marker}` : ''}`);
    const page = (body.servers as { id: string }[]).map((s) => s.id);
    ids.push(...page);
    if (page.length < 1000) return ids;
  }
}

async function allocated(admin: CloudUser): Promise<{ consumers: string[]; used: number }> {
  const version = '1.39';
  const { body } = await admin.placement.get('/resource_providers', { version });
  const consumers = new Set<string>();
  let used = 0;
  for (const { uuid } of body.resource_providers as { uuid: string }[]) {
    const usages = await admin.placement.get(`/resource_providers/${uuid}/usages`, { version });
    for (const units of Object.values(usages.body.usages as Record<string, number>)) used += units;
    const held = await admin.placement.get(`/resource_providers/${uuid}/allocations`, { version });
    for (const consumer of Object.keys(held.body.allocations as object)) consumers.add(consumer);
  }
  return { consumers: [...consumers], used };
}

async function serverPorts(admin: CloudUser): Promise<string[]> {
  const { body } = await admin.network.get('/ports');
  const ports = body.ports as { id: string; device_owner: string; device_id: string }[];
  return ports.filter((p) => p.device_owner.startsWith('compute:') || p.device_id !== '').map((p) => p.id);
}
