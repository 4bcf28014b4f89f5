import { defineRequestFilter } from './request-filter';

/** No host whose service is disabled. */
export const computeStatusFilter = defineRequestFilter({
  name: 'compute_status_filter',
  apply: () => ({ constraints: { rootForbidden: ['COMPUTE_STATUS_DISABLED'] } }),
});
