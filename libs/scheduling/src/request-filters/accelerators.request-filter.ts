import { defineRequestFilter, rootRequired } from './request-filter';

/** A device profile in the flavor needs a host that can serve accelerators. */
export const acceleratorsFilter = defineRequestFilter({
  name: 'accelerators_filter',
  apply: ({ flavor }) => (flavor.extraSpecs['accel:device_profile'] ? rootRequired('COMPUTE_ACCELERATORS') : null),
});
