import { existsSync, writeFileSync } from 'node:fs';
import type { RunningImage, RunningNetwork } from '@fractus/app-companions';
import type { ServiceSession } from '@fractus/clients';
import { FlavorsRepository } from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import { isFractusError, systemContext } from '@fractus/objects';

/** id, name, memory MiB, VCPUs, root disk GiB: the sizes that guides and scripts count on. */
const FLAVORS: readonly [id: string, name: string, memoryMb: number, vcpus: number, rootGb: number][] = [
  ['42', 'm1.nano', 128, 1, 1],
  ['84', 'm1.micro', 192, 1, 1],
  ['1', 'm1.tiny', 512, 1, 1],
  ['2', 'm1.small', 2048, 1, 20],
  ['3', 'm1.medium', 4096, 2, 40],
  ['4', 'm1.large', 8192, 4, 80],
  ['5', 'm1.xlarge', 16_384, 8, 160],
];

/** Everything a new cloud begins with: flavors, an image, a network to use and one outside. Owned by the service project. */
export async function seedCloud(parts: {
  nova: ServiceSession;
  computeDatabase: Database;
  image: RunningImage;
  network: RunningNetwork;
}): Promise<void> {
  const projectId = (await parts.nova.self(systemContext('req-seed'))).projectId ?? '';
  await seedFlavors(parts.computeDatabase);
  await parts.image.seed({ name: 'cirros-sim', owner: projectId });
  await parts.network.seed({ name: 'private', projectId, cidr: '10.0.0.0/16', shared: true });
  await parts.network.seed({ name: 'public', projectId, cidr: '172.24.4.0/24', external: true });
}

/** Makes the flavors of a new cloud; those that are there already are left alone. */
async function seedFlavors(database: Database): Promise<void> {
  const flavors = new FlavorsRepository(database);
  for (const [flavorId, name, memoryMb, vcpus, rootGb] of FLAVORS) {
    const flavor = {
      flavorId,
      name,
      memoryMb,
      vcpus,
      rootGb,
      ephemeralGb: 0,
      swapMb: 0,
      rxtxFactor: 1,
      disabled: false,
      isPublic: true,
      description: null,
      extraSpecs: {},
    };
    await flavors.create(flavor, Date.now()).catch((e: unknown) => {
      // a start that died half-way through left some of them
      if (!isFractusError(e, 'conflict')) throw e;
    });
  }
}

/** Runs `seed`, which must be repeatable, until it has once succeeded: what an operator deletes later stays deleted. */
export async function seedOnce(marker: string, seed: () => Promise<void>): Promise<void> {
  if (existsSync(marker)) return;
  await seed();
  writeFileSync(marker, `${new Date().toISOString()}\n`);
}
