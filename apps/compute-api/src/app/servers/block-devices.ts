import { invalid } from '@fractus/objects';
import type { FlavorSnapshot } from '@fractus/rpc-contracts';
import type { BlockDevice, CreateServerRequest } from './create-request';

/** Upstream's [DEFAULT] max_local_block_devices: image plus ephemeral and swap disks. */
const MAX_LOCAL = 3;

/**
 * Checks the disks that were asked for beside the image. Local disks follow the flavor; a disk on a volume needs a
 * volume service, and the catalog has none: 400 says so rather than a build that fails later.
 * @returns the uuid of the image to boot from; null if there is none.
 */
export function bootImage(request: CreateServerRequest, flavor: FlavorSnapshot): string | null {
  const { blockDevices, imageRef } = request;
  for (const device of blockDevices) checkDevice(device, imageRef);
  const boot = blockDevices.filter((d) => d.bootIndex === 0);
  if (boot.length > 1)
    throw invalid(
      'Block Device Mapping is Invalid: Boot sequence for the instance and image/block device mapping combination is not valid.',
      { code: 'bdm.boot_sequence' },
    );
  const [root] = boot;
  if (root && imageRef && root.sourceType === 'image' && root.uuid !== imageRef)
    throw invalid(
      'Block Device Mapping is Invalid: Boot sequence for the instance and image/block device mapping combination is not valid.',
      { code: 'bdm.boot_sequence' },
    );
  const local = blockDevices.length + (imageRef && !root ? 1 : 0);
  if (local > MAX_LOCAL)
    throw invalid('Block Device Mapping is Invalid: You specified more local devices than the limit allows', {
      code: 'bdm.local_devices',
    });
  checkBlankSizes(blockDevices, flavor);
  return imageRef || null;
}

function checkDevice(device: BlockDevice, imageRef: string | null): void {
  const destination = device.destinationType ?? (device.sourceType === 'blank' ? 'local' : 'volume');
  if (device.sourceType === 'volume' || device.sourceType === 'snapshot' || destination === 'volume')
    throw invalid(
      `Block Device Mapping is Invalid: a ${device.sourceType} device on a volume needs a volume service, and the catalog lists none.`,
      {
        code: 'bdm.no_volume_service',
      },
    );
  if (device.sourceType === 'image' && !device.uuid)
    throw invalid('Block Device Mapping is Invalid: an image device must name its image in uuid.', {
      code: 'bdm.no_uuid',
    });
  // the disk that imageRef asks for may be named once more, and no other
  if (device.sourceType === 'image' && (device.bootIndex !== 0 || !imageRef))
    throw invalid('Block Device Mapping is Invalid: Mapping image to local is not supported.', {
      code: 'bdm.image_to_local',
    });
}

function checkBlankSizes(devices: BlockDevice[], flavor: FlavorSnapshot): void {
  const blank = devices.filter((d) => d.sourceType === 'blank');
  const swap = blank.filter((d) => d.guestFormat === 'swap');
  const ephemeral = blank.filter((d) => d.guestFormat !== 'swap');
  if (swap.length > 1) throw invalid('Swap drive requested is larger than instance type allows.', { code: 'bdm.swap' });
  const swapGb = swap.reduce((sum, d) => sum + (d.volumeSize ?? 0), 0);
  if (swapGb * 1024 > flavor.swapMb && swapGb > 0)
    throw invalid('Swap drive requested is larger than instance type allows.', { code: 'bdm.swap' });
  const ephemeralGb = ephemeral.reduce((sum, d) => sum + (d.volumeSize ?? flavor.ephemeralGb), 0);
  if (ephemeralGb > flavor.ephemeralGb)
    throw invalid('Ephemeral disks requested are larger than the instance type allows.', { code: 'bdm.ephemeral' });
}
