/** What the world is made of at first. */
import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openComputeDatabase } from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import type { FlavorSnapshot, HostState } from '@fractus/rpc-contracts';

export const FLAVOR: FlavorSnapshot = {
  flavorId: '1',
  name: 'm1.tiny',
  vcpus: 1,
  memoryMb: 512,
  rootGb: 1,
  ephemeralGb: 0,
  swapMb: 0,
  extraSpecs: {},
};
let template: Promise<string> | undefined;
/** A migrated, empty database file; made once for all worlds of a test file. */
async function emptyDatabase(): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'fractus-conductor-')), 'template.db');
  const db = await openComputeDatabase({ url: `sqlite:${file}` });
  await db.close();
  return file;
}

/** An empty compute database of its own in `dir`. */
export async function openCopy(dir: string): Promise<Database> {
  template ??= emptyDatabase();
  copyFileSync(await template, join(dir, 'compute.db'));
  return openComputeDatabase({ url: `sqlite:${join(dir, 'compute.db')}`, migrate: false });
}

export const hostState = (host: string, nodeId: string, vcpus: number): HostState => ({
  host,
  node: host,
  nodeId,
  hypervisorType: 'simulated',
  hypervisorVersion: 1,
  hostIp: '192.0.2.1',
  vcpus,
  memoryMb: 65_536,
  diskGb: 1000,
  vcpusUsed: 0,
  memoryMbUsed: 0,
  diskGbUsed: 0,
  runningGuests: 0,
  ioOps: 0,
  failedBuilds: 0,
  cpuInfo: '{}',
  architecture: 'x86_64',
  capabilities: {},
  traits: [],
  uptimeSeconds: 1,
});
