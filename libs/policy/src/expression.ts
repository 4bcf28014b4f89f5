/**
 * The policy language as a tree. Text form: `rule:owner and (role:member or not is_admin:True)`; words split at white
 * space, `not` binds tighter than `and`, `and` tighter than `or`, words in any case. The meaning of every form is that
 * of oslo.policy, so that an operator's file means here what it means there.
 */
export type Expression =
  | { readonly kind: 'true' }
  | { readonly kind: 'false' }
  /** `left:right`; the right side may hold `%(name)s`, filled from the target. */
  | { readonly kind: 'check'; readonly left: string; readonly right: string }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Expression[] };

export const TRUE: Expression = { kind: 'true' };
export const FALSE: Expression = { kind: 'false' };

/** The text of an expression; parsing it gives the same expression back. */
export function formatExpression(e: Expression): string {
  switch (e.kind) {
    case 'true':
      return '@';
    case 'false':
      return '!';
    case 'check':
      return `${e.left}:${e.right}`;
    case 'not':
      return `not ${inner(e.of, ['and', 'or'])}`;
    case 'and':
      return e.of.map((o) => inner(o, ['and', 'or'])).join(' and ');
    case 'or':
      return e.of.map((o) => inner(o, ['or'])).join(' or ');
  }
}

function inner(e: Expression, parenthesised: readonly Expression['kind'][]): string {
  return parenthesised.includes(e.kind) ? `(${formatExpression(e)})` : formatExpression(e);
}

/** Names of the rules that an expression refers to. */
export function referencedRules(e: Expression): string[] {
  switch (e.kind) {
    case 'check':
      return e.left === 'rule' ? [e.right] : [];
    case 'not':
      return referencedRules(e.of);
    case 'and':
    case 'or':
      return e.of.flatMap(referencedRules);
    default:
      return [];
  }
}
