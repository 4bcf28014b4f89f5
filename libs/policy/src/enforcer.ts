import { forbidden, internal, type RequestContext } from '@fractus/objects';
import { compileExpression, type Asker, type Decide, type Target } from './compile';
import { credentialsOf } from './credentials';
import { formatExpression, referencedRules, type Expression } from './expression';
import { parseRule, type RuleSource } from './parse';
import { readPolicyDir, readPolicyFile, type PolicyRules } from './policy-file';
import type { RuleDefault, Scope } from './rule-default';

export type { Target } from './compile';

export interface EnforcerOptions<Rule extends string = string> {
  /** Rules that the API declares. Only these can be asked for. */
  rules: readonly (RuleDefault & { readonly name: Rule })[];
  /** The operator's policy.yaml. */
  policyFile?: string;
  /** Folders of further files (policy.d), read after the file. */
  policyDirs?: readonly string[];
  /** Rules as if from a file; they win over files. */
  overrides?: PolicyRules;
  /** Refuse tokens of a scope that the rule does not name. Default true, as upstream. */
  enforceScope?: boolean;
  /** False lets the check that a rule had before hold too, where the operator has not set the rule. Default true. */
  enforceNewDefaults?: boolean;
}

/** Where no target is given, the asker is their own target. */
export interface Enforcer<Rule extends string = string> {
  /** Throws `forbidden` (code `policy`, details `{rule}`) unless the rule allows. */
  authorize(ctx: RequestContext, rule: Rule, target?: Target): void;
  check(ctx: RequestContext, rule: Rule, target?: Target): boolean;
  /** What `is_admin` checks see: the rule `context_is_admin` where the API has one, else the role admin. */
  isAdmin(ctx: RequestContext): boolean;
  /** Declared rules with the check that is in force. */
  effective(): Record<string, string>;
  /** What is odd in the operator's rules, for the log: rules not understood (they deny), undefined references, cycles, renamed rules. */
  readonly problems: readonly string[];
}

const ADMIN_RULE = 'context_is_admin';
/** The rule that stands in for one that is not defined, where an operator defines it. */
const DEFAULT_RULE = 'default';

/** Builds an enforcer once, at start. Throws `invalid` when a file cannot be read at all. */
export function createEnforcer<Rule extends string>(options: EnforcerOptions<Rule>): Enforcer<Rule> {
  const file = operatorRules(options);
  const problems: string[] = [];
  const expressions = new Map<string, Expression>();
  const parse = (name: string, source: RuleSource): Expression => {
    const { expression, problem } = parseRule(source);
    if (problem !== undefined) problems.push(`${name}: ${problem}; it denies`);
    return expression;
  };
  for (const [name, source] of Object.entries(file)) expressions.set(name, parse(name, source));
  for (const rule of options.rules) {
    if (!Object.hasOwn(file, rule.name)) expressions.set(rule.name, defaultFor(rule, file, options, parse, problems));
    else if (rule.deprecatedForRemoval) problems.push(`${rule.name}: the rule is deprecated and will go away`);
  }
  problems.push(...referenceProblems(expressions));
  return new CompiledEnforcer(options, expressions, problems);
}

function operatorRules(options: EnforcerOptions): PolicyRules {
  return {
    ...(options.policyFile === undefined ? {} : readPolicyFile(options.policyFile)),
    ...(Object.assign({}, ...(options.policyDirs ?? []).map(readPolicyDir)) as PolicyRules),
    ...options.overrides,
  };
}

/** The check of a rule that the operator has not set, with what is left of its former self. */
function defaultFor(
  rule: RuleDefault,
  file: PolicyRules,
  options: EnforcerOptions,
  parse: (name: string, source: RuleSource) => Expression,
  problems: string[],
): Expression {
  const current = parse(rule.name, rule.check);
  const { deprecated } = rule;
  if (!deprecated) return current;
  const former = parse(deprecated.name, deprecated.check);
  if (deprecated.name !== rule.name && Object.hasOwn(file, deprecated.name)) {
    // an override under the old name goes on to hold, unless it merely points to the new rule
    const override = parse(deprecated.name, file[deprecated.name] ?? '');
    const text = formatExpression(override);
    if (text !== formatExpression(former) && text !== `rule:${rule.name}`) {
      problems.push(`${deprecated.name}: the rule is now called ${rule.name}; the old name still holds`);
      return override;
    }
  }
  const isSame = formatExpression(former) === formatExpression(current);
  return options.enforceNewDefaults === false && !isSame ? { kind: 'or', of: [current, former] } : current;
}

function referenceProblems(expressions: ReadonlyMap<string, Expression>): string[] {
  const problems: string[] = [];
  const hasDefault = expressions.has(DEFAULT_RULE);
  for (const [name, expression] of expressions) {
    for (const ref of referencedRules(expression)) {
      if (!expressions.has(ref) && !hasDefault)
        problems.push(`${name}: refers to the rule "${ref}", which is not defined; that part denies`);
    }
    if (isCyclic(name, expressions)) problems.push(`${name}: refers to itself; that part denies`);
  }
  return problems;
}

function isCyclic(start: string, expressions: ReadonlyMap<string, Expression>): boolean {
  const seen = new Set<string>();
  const reach = (name: string): boolean =>
    referencedRules(expressions.get(name) ?? { kind: 'false' }).some((ref) => {
      if (ref === start) return true;
      if (seen.has(ref)) return false;
      seen.add(ref);
      return reach(ref);
    });
  return reach(start);
}

class CompiledEnforcer implements Enforcer {
  private readonly declared = new Map<string, RuleDefault>();
  private readonly compiled = new Map<string, Decide>();
  private readonly askers = new WeakMap<RequestContext, Asker>();
  private readonly enforceScope: boolean;

  constructor(
    options: EnforcerOptions,
    private readonly expressions: ReadonlyMap<string, Expression>,
    readonly problems: readonly string[],
  ) {
    this.enforceScope = options.enforceScope ?? true;
    for (const rule of options.rules) {
      if (this.declared.has(rule.name)) throw internal(`policy rule ${rule.name} is declared twice`);
      this.declared.set(rule.name, rule);
    }
    for (const [name, expression] of expressions) {
      this.compiled.set(
        name,
        isCyclic(name, expressions) ? () => false : compileExpression(expression, (n) => this.ruleNamed(n)),
      );
    }
  }

  authorize(ctx: RequestContext, rule: string, target?: Target): void {
    if (!this.check(ctx, rule, target)) {
      throw forbidden(`Policy doesn't allow ${rule} to be performed.`, { code: 'policy', details: { rule } });
    }
  }

  check(
    ctx: RequestContext,
    rule: string,
    target: Target = { project_id: ctx.projectId, user_id: ctx.userId },
  ): boolean {
    const declared = this.declared.get(rule);
    if (!declared) throw internal(`policy rule ${rule} is not declared`);
    if (this.enforceScope && declared.scopeTypes && !declared.scopeTypes.includes(scopeOf(ctx))) return false;
    return this.ruleNamed(rule)?.(this.asker(ctx), target) ?? false;
  }

  isAdmin(ctx: RequestContext): boolean {
    return this.asker(ctx).isAdmin();
  }

  effective(): Record<string, string> {
    return Object.fromEntries(
      [...this.declared.keys()].map((name) => [
        name,
        formatExpression(this.expressions.get(name) ?? { kind: 'false' }),
      ]),
    );
  }

  private ruleNamed(name: string): Decide | undefined {
    return this.compiled.get(name) ?? this.compiled.get(DEFAULT_RULE);
  }

  private asker(ctx: RequestContext): Asker {
    let asker = this.askers.get(ctx);
    if (!asker) this.askers.set(ctx, (asker = this.newAsker(ctx)));
    return asker;
  }

  private newAsker(ctx: RequestContext): Asker {
    const credentials = credentialsOf(ctx);
    const roles = new Set(ctx.roles.map((r) => r.toLowerCase()));
    const rule = this.compiled.get(ADMIN_RULE);
    let isAdmin: boolean | undefined;
    const asker: Asker = {
      credentials,
      roles,
      isAdmin: () => {
        if (isAdmin !== undefined) return isAdmin;
        // a rule for admins that asks for is_admin itself sees nobody there yet
        isAdmin = false;
        return (isAdmin = rule ? rule(asker, { project_id: ctx.projectId, user_id: ctx.userId }) : roles.has('admin'));
      },
    };
    return asker;
  }
}

function scopeOf(ctx: RequestContext): Scope {
  if (ctx.systemScope) return 'system';
  return ctx.domainId ? 'domain' : 'project';
}
