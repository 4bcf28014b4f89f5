import { defineWeigher } from './weigher';

/** Prefers hosts with few disk-heavy operations under way (the multiplier is negative by default). */
export const ioOpsWeigher = defineWeigher({
  name: 'IoOpsWeigher',
  multiplier: 'io_ops',
  minimum: 0,
  what: 'disk-heavy operations under way',
  weigh: ({ ioOps }) => ioOps,
});
