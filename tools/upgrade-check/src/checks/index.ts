import type { UpgradeCheck } from '@fractus/operator';
import type { Cloud } from '../cloud';
import { agentsCheck } from './agents.check';
import { contractsCheck } from './contracts.check';
import { databasesCheck } from './databases.check';
import { neighboursCheck } from './neighbours.check';
import { placementCheck } from './placement.check';
import { policyCheck } from './policy.check';
import { serviceUserCheck } from './service-user.check';

/** In the order in which they are made and told. */
export const CHECKS: readonly UpgradeCheck<Cloud>[] = [
  databasesCheck,
  contractsCheck,
  agentsCheck,
  placementCheck,
  neighboursCheck,
  policyCheck,
  serviceUserCheck,
];
