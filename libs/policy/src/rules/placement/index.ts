import { explainRules } from './explain.rules';
import { baseRules } from './base.rules';
import { aggregateRules } from './aggregate.rules';
import { allocationRules } from './allocation.rules';
import { allocationCandidateRules } from './allocation-candidate.rules';
import { inventoryRules } from './inventory.rules';
import { reshaperRules } from './reshaper.rules';
import { resourceClassRules } from './resource-class.rules';
import { resourceProviderRules } from './resource-provider.rules';
import { traitRules } from './trait.rules';
import { usageRules } from './usage.rules';

/** Every rule under upstream's name with upstream's default. Made by tools/generators/policy-rules.mjs. */
export const placementRules = [
  ...explainRules,
  ...baseRules,
  ...aggregateRules,
  ...allocationRules,
  ...allocationCandidateRules,
  ...inventoryRules,
  ...reshaperRules,
  ...resourceClassRules,
  ...resourceProviderRules,
  ...traitRules,
  ...usageRules,
] as const;

export type PlacementRuleName = (typeof placementRules)[number]['name'];
