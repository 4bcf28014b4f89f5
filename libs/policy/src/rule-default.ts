import type { RuleSource } from './parse';

export type Scope = 'project' | 'domain' | 'system';

/** A rule that an API declares: what holds unless the operator's file says otherwise. */
export interface RuleDefault {
  readonly name: string;
  readonly check: RuleSource;
  /** Scopes of the token that may use the rule at all; absent: any. */
  readonly scopeTypes?: readonly Scope[];
  readonly operations?: readonly { readonly method: string; readonly path: string }[];
  /** The name or the check that this rule had before. */
  readonly deprecated?: { readonly name: string; readonly check: RuleSource; readonly since?: string };
  /** The rule itself goes away; an override of it is reported. */
  readonly deprecatedForRemoval?: { readonly since?: string };
}
