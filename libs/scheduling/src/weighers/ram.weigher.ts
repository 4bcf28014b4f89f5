import { defineWeigher } from './weigher';

/** Spreads by free memory. */
export const ramWeigher = defineWeigher({
  name: 'RAMWeigher',
  multiplier: 'ram',
  minimum: 0,
  what: 'free memory in MiB',
  weigh: ({ free }) => free.memoryMb,
});
