import { defineWeigher } from './weigher';

/** Spreads by free disk. */
export const diskWeigher = defineWeigher({
  name: 'DiskWeigher',
  multiplier: 'disk',
  minimum: 0,
  what: 'free disk in GiB',
  weigh: ({ free }) => free.diskGb,
});
