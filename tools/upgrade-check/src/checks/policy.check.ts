import { policyOutcome, together, type UpgradeCheck } from '@fractus/operator';
import { computeRules, placementRules } from '@fractus/policy';
import type { Cloud } from '../cloud';

export const policyCheck: UpgradeCheck<Cloud> = {
  name: 'Policy Files',
  run: async ({ computePolicyFile, placementPolicyFile }) =>
    together([
      policyOutcome('compute', computePolicyFile, computeRules),
      policyOutcome('placement', placementPolicyFile, placementRules),
    ]),
};
