export * from './expression';
export * from './parse';
export * from './rule-default';
export * from './policy-file';
export * from './enforcer';
export { computeRules, type ComputeRuleName } from './rules/compute';
export { placementRules, type PlacementRuleName } from './rules/placement';
