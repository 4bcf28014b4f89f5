import { isStandardTrait } from '@fractus/os-traits';
import { defineRequestFilter, rootRequired } from './request-filter';

/** Hosts that can use the image's disk format. Off by default; no matter for a server that boots from a volume. */
export const requireImageTypeSupport = defineRequestFilter({
  name: 'require_image_type_support',
  apply({ image, bootFromVolume }, _facts, { queryPlacementForImageTypeSupport }) {
    if (!queryPlacementForImageTypeSupport || bootFromVolume || !image?.diskFormat) return null;
    const trait = `COMPUTE_IMAGE_TYPE_${image.diskFormat.toUpperCase()}`;
    return isStandardTrait(trait) ? rootRequired(trait) : null;
  },
});
