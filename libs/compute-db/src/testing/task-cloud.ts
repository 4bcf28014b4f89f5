/** Servers and tasks in a database of a test, and what conductors do with them. */
import { randomUUID } from 'node:crypto';
import type { Database } from '@fractus/database';
import type { RequestContext } from '@fractus/objects';
import { newServerRow, TaskLeases, type TaskPatch, type TaskRecord, TasksRepository } from '../index';

const ctx: RequestContext = { requestId: 'req-1', userId: 'u1', projectId: 'p1', roles: ['member'] };
export const NOW = 1_800_000_000_000;
export const LEASE_MS = 30_000;
export const HOUR = 3_600_000;

export class TaskCloud {
  readonly tasks: TasksRepository;
  readonly leases: TaskLeases;
  constructor(readonly db: Database) {
    this.tasks = new TasksRepository(db);
    this.leases = new TaskLeases(db);
  }

  async server(): Promise<string> {
    const id = randomUUID();
    const flavor = { flavorId: 'f', name: 'f', vcpus: 1, memoryMb: 512, rootGb: 1, ephemeralGb: 0, swapMb: 0 };
    const server = {
      ...{ id, projectId: 'p1', userId: 'u1', name: 'web', hostname: 'web', image: null },
      ...{ flavor: { ...flavor, extraSpecs: {} }, requestedNetworks: 'none' as const, reservationId: 'r-1' },
    };
    await this.db.transaction((tx) => tx.insert('servers', newServerRow(server, NOW)));
    return id;
  }

  /** A task of the server, or of one of its own. */
  async add(options: { serverId?: string; supersedes?: string } = {}): Promise<string> {
    const { serverId = await this.server(), supersedes } = options;
    const id = randomUUID();
    const task = { id, type: 'build-server' as const, serverId, projectId: 'p1', context: ctx, actionId: null };
    await this.db.transaction((tx) =>
      this.tasks.insert(tx, { ...task, expiresAt: NOW + HOUR, ...(supersedes ? { supersedes } : {}) }, NOW),
    );
    return id;
  }

  async many(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) ids.push(await this.add());
    return ids;
  }

  async get(id: string): Promise<TaskRecord> {
    return (await this.tasks.find(id)) ?? raise(`no task ${id}`);
  }

  write(id: string, fence: number, patch: TaskPatch, now = NOW): Promise<boolean> {
    return this.db.transaction((tx) => this.tasks.write(tx, id, fence, patch, now));
  }

  async leaseAs(owner: string, now: number, id: string): Promise<TaskRecord | null> {
    return (await this.leases.one(id, { owner, until: now + LEASE_MS }, now))?.task ?? null;
  }

  async dueAs(owner: string, now: number, limit: number, except: string[] = []): Promise<string[]> {
    const leased = await this.leases.due({ owner, until: now + LEASE_MS }, now, limit, except);
    return leased.map(({ task }) => task.id);
  }

  async supersede(serverId: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      const open = await this.tasks.lockOpen(tx, serverId);
      await this.tasks.supersede(tx, open ?? raise('no open task'), NOW);
    });
  }
}

function raise(why: string): never {
  throw new Error(why);
}
