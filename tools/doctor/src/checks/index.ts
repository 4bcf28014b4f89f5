import { allocationsCheck } from './allocations.check';
import { brokerCheck } from './broker.check';
import type { Check } from './check';
import { clocksCheck } from './clocks.check';
import { databasesCheck } from './databases.check';
import { guestsCheck } from './guests.check';
import { hostsCheck } from './hosts.check';
import { processesCheck } from './processes.check';
import { reconcilersCheck } from './reconcilers.check';
import { resourcesCheck } from './resources.check';
import { servicesCheck } from './services.check';
import { tasksCheck } from './tasks.check';

/** In the order in which they are run and told: what the others stand on comes first. */
export const CHECKS: readonly Check[] = [
  databasesCheck,
  brokerCheck,
  processesCheck,
  servicesCheck,
  hostsCheck,
  resourcesCheck,
  reconcilersCheck,
  tasksCheck,
  allocationsCheck,
  guestsCheck,
  clocksCheck,
];
