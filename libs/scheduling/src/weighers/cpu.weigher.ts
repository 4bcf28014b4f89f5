import { defineWeigher } from './weigher';

/** Spreads by free processors, overcommit included. */
export const cpuWeigher = defineWeigher({
  name: 'CPUWeigher',
  multiplier: 'cpu',
  minimum: 0,
  what: 'free processors',
  weigh: ({ free }) => free.vcpus,
});
