/** The compare-and-swap that decides between two who act on a server at once. */
import { randomUUID } from 'node:crypto';
import type { Database } from '@fractus/database';
import type { TaskState, VmState } from '@fractus/objects';
import { openComputeDatabase } from './compute-database';
import { newServerRow, type NewServer } from './server';
import { ServersRepository } from './servers.repository';

const NOW = 1_800_000_000_000;
const flavor = { flavorId: 'f', name: 'f', vcpus: 1, memoryMb: 512, rootGb: 1, ephemeralGb: 0, swapMb: 0 };

let db: Database;
let servers: ServersRepository;
let id: string;

const swap = (vmState: VmState, taskState: TaskState | null): Promise<boolean> =>
  db.transaction((tx) => servers.swapState(tx, id, { vmState, taskState }, { vmState: 'error', taskState: null }));

beforeEach(async () => {
  db = await openComputeDatabase({ url: 'sqlite::memory:' });
  servers = new ServersRepository(db);
  id = randomUUID();
  const server: NewServer = {
    ...{ id, projectId: 'p1', userId: 'u1', name: 'web', hostname: 'web', image: null, reservationId: 'r-1' },
    ...{ flavor: { ...flavor, extraSpecs: {} }, requestedNetworks: 'none' },
  };
  await db.transaction((tx) => tx.insert('servers', newServerRow(server, NOW)));
});
afterEach(() => db.close());

it.each([
  ['building', 'scheduling', true],
  ['active', 'scheduling', false],
  ['building', 'spawning', false],
  ['building', null, false],
  ['active', null, false],
] as const)('of a server that is building and scheduling, expected %s and %s: %s', async (vm, task, done) => {
  expect(await swap(vm, task)).toBe(done);
  expect(await servers.get(id)).toMatchObject({ vmState: done ? 'error' : 'building' });
});

it('tells no task state from any', async () => {
  expect(await swap('building', 'scheduling')).toBe(true);
  expect(await swap('error', 'scheduling')).toBe(false);
  expect(await swap('error', null)).toBe(true);
});

it('passes deleted servers by', async () => {
  await db.transaction((tx) => tx.execute('UPDATE servers SET deleted = id WHERE uuid = ?', [id]));
  expect(await swap('building', 'scheduling')).toBe(false);
});
