import { isStandardTrait } from '@fractus/os-traits';
import { canonicalArchitecture, imageProperty } from '../flavor-and-image';
import { defineRequestFilter, rootRequired } from './request-filter';

const PREFIXES: Readonly<Record<string, string>> = {
  hw_cdrom_bus: 'COMPUTE_STORAGE_BUS',
  hw_disk_bus: 'COMPUTE_STORAGE_BUS',
  hw_video_model: 'COMPUTE_GRAPHICS_MODEL',
  hw_vif_model: 'COMPUTE_NET_VIF_MODEL',
  hw_architecture: 'HW_ARCH',
  hw_emulation_architecture: 'COMPUTE_ARCH',
  hw_viommu_model: 'COMPUTE_VIOMMU_MODEL',
};

/**
 * Devices that the image names become traits. Off by default. A value without a standard trait is passed over alone;
 * upstream drops all of the image's traits then, and looks for the vIOMMU's under a prefix that does not exist.
 */
export const transformImageMetadata = defineRequestFilter({
  name: 'transform_image_metadata',
  apply({ image }, _facts, { imageMetadataPrefilter }) {
    if (!imageMetadataPrefilter || !image) return null;
    const traits = Object.entries(PREFIXES).flatMap(([property, prefix]) => {
      const value = imageProperty(image.properties, property);
      if (value === undefined) return [];
      const name = property.endsWith('_architecture') ? canonicalArchitecture(value) : value;
      return [`${prefix}_${name.replaceAll('-', '_').toUpperCase()}`];
    });
    return rootRequired(...new Set(traits.filter(isStandardTrait)));
  },
});
