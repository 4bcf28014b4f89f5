import type { Credentials } from './credentials';
import type { Expression } from './expression';

/** Attributes of what is acted on: `project_id`, `user_id`, `server.host`… */
export type Target = Readonly<Record<string, unknown>>;

export interface Asker {
  readonly credentials: Credentials;
  /** Lower case. */
  readonly roles: ReadonlySet<string>;
  isAdmin(): boolean;
}

export type Decide = (asker: Asker, target: Target) => boolean;

/** Turns an expression into one closure. `ruleNamed` is asked when a `rule:` check runs, so rules may refer forward. */
export function compileExpression(e: Expression, ruleNamed: (name: string) => Decide | undefined): Decide {
  switch (e.kind) {
    case 'true':
      return () => true;
    case 'false':
      return () => false;
    case 'not': {
      const of = compileExpression(e.of, ruleNamed);
      return (asker, target) => !of(asker, target);
    }
    case 'and': {
      const of = e.of.map((o) => compileExpression(o, ruleNamed));
      return (asker, target) => of.every((o) => o(asker, target));
    }
    case 'or': {
      const of = e.of.map((o) => compileExpression(o, ruleNamed));
      return (asker, target) => of.some((o) => o(asker, target));
    }
    case 'check':
      return compileCheck(e.left, e.right, ruleNamed);
  }
}

function compileCheck(left: string, right: string, ruleNamed: (name: string) => Decide | undefined): Decide {
  if (left === 'rule') return (asker, target) => ruleNamed(right)?.(asker, target) ?? false;
  if (left === 'is_admin') {
    const expected = right.toLowerCase() === 'true';
    return (asker) => asker.isAdmin() === expected;
  }
  const fill = compileTemplate(right);
  if (left === 'role') {
    return (asker, target) => {
      const role = fill(target);
      return role !== undefined && asker.roles.has(role.toLowerCase());
    };
  }
  const literal = literalOf(left);
  if (literal !== undefined) return (_asker, target) => fill(target) === literal;
  const path = left.split('.');
  return (asker, target) => {
    const wanted = fill(target);
    return wanted !== undefined && holds(asker.credentials, path, 0, wanted);
  };
}

/** Fills `%(name)s` from the target; undefined where the target lacks a name, which makes the check fail. */
function compileTemplate(text: string): (target: Target) => string | undefined {
  const parts = text.split(/(%\([^()]*\)s|%%)/);
  if (parts.length === 1) return () => text;
  return (target) => {
    let filled = '';
    for (const part of parts) {
      if (part === '%%') filled += '%';
      else if (!part.startsWith('%(')) filled += part;
      else {
        const value = lookUp(target, part.slice(2, -2));
        if (value === undefined) return undefined;
        filled += pythonText(value);
      }
    }
    return filled;
  };
}

/** An attribute by its whole name, else by descending at the dots. */
function lookUp(target: Target, name: string): unknown {
  if (Object.hasOwn(target, name)) return target[name];
  let at: unknown = target;
  for (const key of name.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** A check whose left side is a literal compares that, not a credential: `'member':%(role)s`, `True:%(enabled)s`. */
function literalOf(left: string): string | undefined {
  const quoted = /^(['"])(.*)\1$/s.exec(left);
  if (quoted) return quoted[2];
  if (/^(True|False|None)$/.test(left)) return left;
  return /^[+-]?\d+$/.test(left) ? String(BigInt(left.replace(/^\+/, ''))) : undefined;
}

/** Descends into the credentials; of a list any element will do. */
function holds(value: unknown, path: readonly string[], at: number, wanted: string): boolean {
  if (Array.isArray(value)) return value.some((v) => holds(v, path, at, wanted));
  const key = path[at];
  if (key === undefined) return pythonText(value) === wanted;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
  return holds((value as Record<string, unknown>)[key], path, at + 1, wanted);
}

/** Scalars as Python prints them: policy files are written against that (`True`, `None`). */
function pythonText(value: unknown): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  return String(value);
}
