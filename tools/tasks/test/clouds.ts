/** Tasks and servers in a database of their own, as an API and conductors would have written them. */
import { randomUUID } from 'node:crypto';
import {
  InstanceActionsRepository,
  newServerRow,
  openComputeDatabase,
  type TaskPatch,
  TasksRepository,
  withEngine,
} from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import type { Output } from '@fractus/operator';
import type { TaskType } from '@fractus/server-lifecycle';
import { tasks } from '../src/program';

const MINUTE = 60_000;

export class Writings implements Output {
  readonly outs: string[] = [];
  readonly errs: string[] = [];
  out = (line: string): void => void this.outs.push(line);
  err = (line: string): void => void this.errs.push(line);
  get text(): string {
    return [...this.outs, ...this.errs].join('\n');
  }
}

/** What a run of the command wrote, and its exit code. */
export async function run(
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number; written: Writings; json: () => never }> {
  const written = new Writings();
  const code = await tasks(args, env, written);
  return { code, written, json: () => JSON.parse(written.outs.join('')) as never };
}

export class TestCompute {
  private constructor(
    readonly url: string,
    readonly db: Database,
  ) {}

  static async open(url: string): Promise<TestCompute> {
    return new TestCompute(url, await openComputeDatabase({ url }));
  }

  /** An open task of a new server on the host, with a password in what it was handed; its id and the server's. */
  async add(
    options: { type?: TaskType; host?: string; projectId?: string; patch?: TaskPatch; addedAgo?: number } = {},
  ): Promise<{ id: string; serverId: string }> {
    const { type = 'build-server', host = null, projectId = 'p1', patch, addedAgo = 0 } = options;
    const [id, serverId] = [randomUUID(), randomUUID()];
    const now = Date.now() - addedAgo;
    const ctx = { requestId: 'req-1', userId: 'u1', projectId, roles: ['member'] };
    const flavor = { flavorId: 'f', name: 'f', vcpus: 1, memoryMb: 64, rootGb: 1, ephemeralGb: 0, swapMb: 0 };
    const server = {
      ...{ id: serverId, projectId, userId: 'u1', name: `web-${serverId.slice(0, 4)}`, hostname: 'web', image: null },
      ...{ flavor: { ...flavor, extraSpecs: {} }, requestedNetworks: 'none' as const, reservationId: 'r-1' },
    };
    const tasksOf = new TasksRepository(this.db);
    const actions = new InstanceActionsRepository(this.db);
    await this.db.transaction(async (tx) => {
      await tx.insert('servers', { ...newServerRow(server, now), host, user_data: 'S1VSWklHRU4=' });
      const actionId = await actions.start(tx, ctx, serverId, 'create', now);
      const handed = { adminPassword: 'hunter2', note: 'x' };
      const task = { id, type, serverId, projectId, context: ctx, actionId, input: handed };
      await tasksOf.insert(tx, { ...task, expiresAt: now + 60 * MINUTE }, now);
      await actions.startEvent(tx, actionId, 'compute__do_build_and_run_instance', host ?? 'h1', now);
    });
    if (patch) await this.db.transaction((tx) => tasksOf.write(tx, id, 0, patch, now));
    return { id, serverId };
  }

  /** A state with a secret in it, which a later release might keep there. */
  static readonly SECRETIVE = withEngine({ hosts: ['h1'], guest: { adminPassword: 'hunter2' } }, {});

  close(): Promise<void> {
    return this.db.close();
  }
}
