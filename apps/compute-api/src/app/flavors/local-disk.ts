/**
 * Flavors whose servers have no disk on their host: extra spec `fractus:local_disk=forbidden`, of ours alone.
 *
 * Two checks. What the flavor says must agree with itself when it is said: no root, ephemeral or swap disk, and no
 * DISK_GB. Whoever makes a server of it, or gives a server to it, must bring a volume to boot from: told at once, in one
 * function for create, resize and rebuild. The scheduler leaves DISK_GB out, so a host without a disk will do.
 */
import { invalid } from '@fractus/objects';
import { forbidsLocalDisk, LOCAL_DISK_SPEC } from '@fractus/scheduling';

/** Disks in GiB, swap in MiB. */
interface FlavorDisks {
  readonly name: string;
  readonly rootGb: number;
  readonly ephemeralGb: number;
  readonly swapMb: number;
  readonly extraSpecs: Readonly<Record<string, string>>;
}

/** Throws `invalid` (`flavor.local_disk_spec`) where a flavor would forbid local disks and have some all the same. */
export function checkLocalDiskSpec(flavor: FlavorDisks): void {
  const value = flavor.extraSpecs[LOCAL_DISK_SPEC];
  if (value === undefined) return;
  if (value !== 'forbidden' && value !== 'allowed')
    throw refuse(`Extra spec ${LOCAL_DISK_SPEC} must be forbidden or allowed, not ${value}.`, value);
  if (value === 'allowed') return;
  const disks = { disk: flavor.rootGb, 'OS-FLV-EXT-DATA:ephemeral': flavor.ephemeralGb, swap: flavor.swapMb };
  for (const [field, size] of Object.entries(disks))
    if (size > 0)
      throw refuse(
        `Flavor ${flavor.name} has ${field} ${size}; with ${LOCAL_DISK_SPEC}=forbidden it must be 0.`,
        `${field} ${size}`,
      );
  for (const [key, amount] of Object.entries(flavor.extraSpecs))
    if (/^resources[a-zA-Z0-9_-]*:DISK_GB$/.test(key) && Number(amount) > 0)
      throw refuse(
        `Flavor ${flavor.name} asks for ${key}=${amount}; with ${LOCAL_DISK_SPEC}=forbidden it must not.`,
        `${key}=${amount}`,
      );
}

const refuse = (sentence: string, have: string) =>
  invalid(sentence, { code: 'flavor.local_disk_spec', details: { have, need: 'no disk on the host' } });

/** Where a server's disks are to be. */
export interface WantedDisks {
  /** It boots from a volume that exists or is made for it. */
  readonly bootFromVolume: boolean;
  /** Disks beside the root that would lie on the host: ephemeral ones and swap. */
  readonly localDevices: number;
}

/**
 * Throws `invalid` (`flavor.local_disk`) when a server would have a disk on its host although its flavor forbids that.
 * To be asked wherever a flavor meets disks: create, resize (the new flavor) and rebuild.
 */
export function checkLocalDisk(flavor: FlavorDisks, { bootFromVolume, localDevices }: WantedDisks): void {
  if (!forbidsLocalDisk(flavor)) return;
  if (!bootFromVolume)
    throw invalid(`Flavor ${flavor.name} forbids local disks: a server of it must boot from a volume.`, {
      code: 'flavor.local_disk',
      details: { have: 'a root disk on the host', need: 'a bootable volume' },
    });
  if (localDevices > 0)
    throw invalid(`Flavor ${flavor.name} forbids local disks: a server of it has neither ephemeral disks nor swap.`, {
      code: 'flavor.local_disk',
      details: { have: localDevices, need: 0 },
    });
}
