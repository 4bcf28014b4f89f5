import { defineRequestFilter, rootRequired } from './request-filter';

/** Ports that a remote device manages. */
export const remoteManagedPortsFilter = defineRequestFilter({
  name: 'remote_managed_ports_filter',
  apply: ({ remoteManagedPorts }) => (remoteManagedPorts ? rootRequired('COMPUTE_REMOTE_MANAGED_PORTS') : null),
});
