import { existsSync, writeFileSync } from 'node:fs';
import type { RunningImage, RunningNetwork } from '@fractus/app-companions';
import type { ServiceSession } from '@fractus/clients';
import { FlavorsRepository } from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import { isFractusError, systemContext } from '@fractus/objects';
import records from './first-records.json';

/** The sizes, the image and the networks that guides and scripts count on. Flavors: id, name, MiB, VCPUs, GiB of root disk. */
const { flavors: FLAVORS, image: IMAGE, networks: NETWORKS } = records;
type FlavorRecord = [flavorId: string, name: string, memoryMb: number, vcpus: number, rootGb: number];

/** Everything a new cloud begins with: flavors, an image, a network to use and one outside. Owned by the service project. */
export async function seedCloud(parts: {
  nova: ServiceSession;
  computeDatabase: Database;
  image: RunningImage;
  network: RunningNetwork;
}): Promise<void> {
  const projectId = (await parts.nova.self(systemContext('req-seed'))).projectId ?? '';
  await seedFlavors(parts.computeDatabase);
  await parts.image.seed({ name: IMAGE.name, owner: projectId });
  for (const { name, cidr, shared, external } of NETWORKS)
    await parts.network.seed({ name, projectId, cidr, ...(shared && { shared }), ...(external && { external }) });
}

/** Makes the flavors of a new cloud; those that are there already are left alone. */
async function seedFlavors(database: Database): Promise<void> {
  const flavors = new FlavorsRepository(database);
  for (const [flavorId, name, memoryMb, vcpus, rootGb] of FLAVORS as FlavorRecord[]) {
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
