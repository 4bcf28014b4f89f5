import { defineWeigher } from './weigher';

/** Prefers newer hypervisors. */
export const hypervisorVersionWeigher = defineWeigher({
  name: 'HypervisorVersionWeigher',
  multiplier: 'hypervisor_version',
  what: 'hypervisor version',
  weigh: ({ hypervisorVersion }) => hypervisorVersion,
});
