import { forbidden, invalid, isFractusError, type RequestContext } from '@fractus/objects';
import type { Image, ImageClient } from '@fractus/clients';
import type { FlavorSnapshot, ImageSnapshot } from '@fractus/rpc-contracts';
import { checkAgreement } from './flavor-image-agreement';

const GIB = 1024 ** 3;

/** The image in the form that scheduler and agents take along. */
export function imageSnapshot(image: Image): ImageSnapshot {
  return {
    imageId: image.id,
    ...(image.name === null ? {} : { name: image.name }),
    ...(image.size === null ? {} : { sizeBytes: image.size }),
    minDiskGb: image.minDisk,
    minMemoryMb: image.minRam,
    ...(image.diskFormat === null ? {} : { diskFormat: image.diskFormat }),
    ...(image.containerFormat === null ? {} : { containerFormat: image.containerFormat }),
    ...(image.checksum === null ? {} : { checksum: image.checksum }),
    properties: { ...image.properties },
  };
}

/** Fetches the image a server is to be made from. An image that is not there is the request's fault: 400. */
export async function resolveImage(images: ImageClient, ctx: RequestContext, imageRef: string): Promise<ImageSnapshot> {
  const image = await images.show(ctx, imageRef).catch((e: unknown) => {
    if (isFractusError(e, 'not_found', 'forbidden'))
      throw invalid('Can not find requested image', { code: 'image.not_found', cause: e });
    throw e;
  });
  if (image.status !== 'active')
    throw invalid(`Image ${image.id} is not active.`, {
      code: 'image.not_active',
      details: { have: image.status, need: 'active' },
    });
  return imageSnapshot(image);
}

/**
 * Whether the flavor is large enough for an image on local disk (upstream compute/api.py _validate_flavor_image).
 * A flavor with no root disk takes an image of any size, for those whom `mayUseZeroDisk` allows it.
 */
export function checkImageFits(image: ImageSnapshot, flavor: FlavorSnapshot, mayUseZeroDisk: () => boolean): void {
  checkConfigDrive(image);
  checkAgreement(flavor, image);
  if (flavor.memoryMb < (image.minMemoryMb ?? 0))
    throw invalid("Flavor's memory is too small for requested image.", {
      code: 'image.min_ram',
      details: { have: flavor.memoryMb, need: image.minMemoryMb },
    });
  if (flavor.rootGb === 0) {
    if (mayUseZeroDisk()) return;
    throw forbidden('Only volume-backed servers are allowed for flavors with zero disk.', { code: 'flavor.zero_disk' });
  }
  const have = flavor.rootGb * GIB;
  const size = image.sizeBytes ?? 0;
  if (size > have)
    throw invalid(
      `Flavor's disk is too small for requested image. Flavor disk is ${have} bytes, image is ${size} bytes.`,
      {
        code: 'flavor.disk_too_small',
        details: { have, need: size },
      },
    );
  const least = (image.minDiskGb ?? 0) * GIB;
  if (least > have)
    throw invalid(
      `Flavor's disk is smaller than the minimum size specified in image metadata. Flavor disk is ${have} bytes, minimum size is ${least} bytes.`,
      {
        code: 'flavor.disk_too_small',
        details: { have, need: least },
      },
    );
}

function checkConfigDrive({ properties }: ImageSnapshot): void {
  const option = properties['img_config_drive'] ?? 'optional';
  if (option !== 'optional' && option !== 'mandatory')
    throw invalid(`Image's config drive option '${option}' is invalid`, { code: 'image.config_drive' });
}

/** Who partitions the disk: as asked for, else as the image says (`auto_disk_config`), else the user. */
export function diskConfigOf(image: ImageSnapshot | null, asked: 'AUTO' | 'MANUAL' | null): 'AUTO' | 'MANUAL' {
  const property = image?.properties['auto_disk_config']?.trim().toLowerCase() ?? '';
  if (property === 'disabled' && asked === 'AUTO')
    throw invalid(`Requested image ${image?.imageId} has automatic disk resize disabled.`, {
      code: 'image.disk_config',
    });
  return asked ?? (['1', 't', 'true', 'on', 'y', 'yes'].includes(property) ? 'AUTO' : 'MANUAL');
}
