import { defineWeigher } from './weigher';

/** By the number of servers; off by default, a negative multiplier spreads. */
export const numInstancesWeigher = defineWeigher({
  name: 'NumInstancesWeigher',
  multiplier: 'num_instances',
  what: 'servers on the host',
  weigh: ({ runningGuests }) => runningGuests,
});
