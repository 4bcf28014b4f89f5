/** Nest injection tokens of the API. */
export const ENFORCER = Symbol('placement.enforcer');
