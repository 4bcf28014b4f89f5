import { defineRequestFilter, rootRequired } from './request-filter';

/** A volume that several servers may attach needs a host that can do it. Upstream finds out on the host, by failing. */
export const multiattachFilter = defineRequestFilter({
  name: 'multiattach_filter',
  apply: ({ multiattachVolumes }) => (multiattachVolumes ? rootRequired('COMPUTE_VOLUME_MULTI_ATTACH') : null),
});
