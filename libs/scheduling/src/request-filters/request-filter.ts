import type { SchedulingOptions } from '../options';
import type { CloudFacts, Fact, Reason, ScheduleRequest } from '../types';

/** What a request filter adds to the question put to Placement. Group constraints go to the unsuffixed group. */
export interface Constraints {
  readonly rootRequired?: readonly string[];
  readonly rootForbidden?: readonly string[];
  /** Each inner list: in at least one of these aggregates. */
  readonly memberOf?: readonly (readonly string[])[];
  readonly notMemberOf?: readonly string[];
  readonly inTree?: string;
  /** Ask without a limit: what follows could remove all of a limited answer. */
  readonly unlimited?: boolean;
}

/** Null: nothing asked for, or switched off. */
export type RequestFilterResult = null | { readonly constraints: Constraints } | { readonly rejected: Reason };

/** Runs before Placement is asked; can refuse the request as a whole. Pure; upstream's function name is its name. */
export interface RequestFilter<Name extends string = string, Code extends string = string> {
  readonly name: Name;
  /** Code → sentence fragment for summaries. */
  readonly codes: Readonly<Record<Code, string>>;
  apply(request: ScheduleRequest, facts: CloudFacts, options: SchedulingOptions): RequestFilterResult;
}

interface Definition<Name extends string, Code extends string> {
  readonly name: Name;
  readonly codes?: Readonly<Record<Code, string>>;
  apply(
    request: ScheduleRequest,
    facts: CloudFacts,
    options: SchedulingOptions,
    refuse: (code: NoInfer<Code>, have: Fact, need: Fact, sentence: string) => RequestFilterResult,
  ): RequestFilterResult;
}

export function defineRequestFilter<const Name extends string, const Code extends string = never>(
  definition: Definition<Name, Code>,
): RequestFilter<Name, Code> {
  const { name, codes = {} as Record<Code, string>, apply } = definition;
  return {
    name,
    codes,
    apply: (request, facts, options) =>
      apply(request, facts, options, (code, have, need, sentence) => ({ rejected: { code, have, need, sentence } })),
  };
}

export const rootRequired = (...traits: string[]): RequestFilterResult =>
  traits.length === 0 ? null : { constraints: { rootRequired: traits } };
