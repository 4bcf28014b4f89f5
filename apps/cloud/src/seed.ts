import { FlavorsRepository } from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import { isFractusError } from '@fractus/objects';

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

/** Makes the flavors of a new cloud. A cloud that has any is left alone: its operator may have deleted some on purpose. */
export async function seedFlavors(database: Database): Promise<void> {
  const [known] = await database.query<{ id: number }>('SELECT id FROM flavors LIMIT 1');
  if (known) return;
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
