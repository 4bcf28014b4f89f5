import { FALSE, TRUE, type Expression } from './expression';

/** A rule as files hold it: text, or the old form: a list (or) of lists (and) of checks. */
export type RuleSource = string | readonly (string | readonly string[])[] | null;

export interface ParsedRule {
  readonly expression: Expression;
  /** Why the rule could not be understood; it then denies. */
  readonly problem?: string;
}

/** Parses a rule. Never throws: what cannot be understood denies, and says why. */
export function parseRule(source: RuleSource): ParsedRule {
  try {
    return { expression: typeof source === 'string' ? parseText(source) : parseList(source ?? []) };
  } catch (e) {
    if (e instanceof PolicySyntaxError) return { expression: FALSE, problem: e.message };
    throw e;
  }
}

/** Parses the text form. Throws PolicySyntaxError. The empty text allows. */
export function parseText(text: string): Expression {
  if (text === '') return TRUE;
  const parser = new Parser(tokenize(text), text);
  return parser.all();
}

export class PolicySyntaxError extends Error {
  override readonly name = 'PolicySyntaxError';
}

type Token = '(' | ')' | 'and' | 'or' | 'not' | { readonly check: string };

/** Parentheses count only at the ends of a word: inside they belong to `%(name)s`. */
function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const word of text.split(/\s+/).filter((w) => w !== '')) {
    const [, open = '', body = '', close = ''] = /^(\(*)(.*?)(\)*)$/s.exec(word) ?? [];
    tokens.push(...Array.from(open, () => '(' as const));
    const lower = body.toLowerCase();
    if (lower === 'and' || lower === 'or' || lower === 'not') tokens.push(lower);
    else if (body !== '') tokens.push({ check: body });
    tokens.push(...Array.from(close, () => ')' as const));
  }
  return tokens;
}

class Parser {
  private at = 0;

  constructor(
    private readonly tokens: Token[],
    private readonly text: string,
  ) {}

  all(): Expression {
    const expression = this.or();
    if (this.at < this.tokens.length) throw this.error(`unexpected ${shown(this.tokens[this.at])}`);
    return expression;
  }

  private or(): Expression {
    return this.chain('or', () => this.and());
  }

  private and(): Expression {
    return this.chain('and', () => this.unary());
  }

  private chain(kind: 'and' | 'or', operand: () => Expression): Expression {
    const first = operand();
    const of = [first];
    while (this.tokens[this.at] === kind) {
      this.at++;
      of.push(operand());
    }
    return of.length === 1 ? first : { kind, of };
  }

  private unary(): Expression {
    const token = this.tokens[this.at++];
    if (token === 'not') return { kind: 'not', of: this.unary() };
    if (token === '(') {
      const expression = this.or();
      if (this.tokens[this.at++] !== ')') throw this.error('a parenthesis is not closed');
      return expression;
    }
    if (typeof token === 'object') return parseCheck(token.check);
    throw this.error(token === undefined ? 'it ends too early' : `unexpected ${shown(token)}`);
  }

  private error(what: string): PolicySyntaxError {
    return new PolicySyntaxError(`cannot understand "${this.text}": ${what}`);
  }
}

function shown(token: Token | undefined): string {
  return typeof token === 'object' ? `"${token.check}"` : `"${token ?? ''}"`;
}

function parseCheck(text: string): Expression {
  if (text === '@') return TRUE;
  if (text === '!') return FALSE;
  const colon = text.indexOf(':');
  if (colon < 0) throw new PolicySyntaxError(`"${text}" is no check: a check is kind:match, @ or !`);
  const left = text.slice(0, colon);
  const right = text.slice(colon + 1);
  if (left === 'http' || left === 'https')
    throw new PolicySyntaxError(`"${text}": checks by a remote server are not supported`);
  if (right.replace(/%\([^()]*\)s|%%/g, '').includes('%'))
    throw new PolicySyntaxError(`"${text}": "%" must begin %(name)s`);
  return { kind: 'check', left, right };
}

function parseList(list: readonly (string | readonly string[])[]): Expression {
  if (list.length === 0) return TRUE;
  const alternatives = list
    .map((inner) => (typeof inner === 'string' ? [inner] : inner))
    .filter((inner) => inner.length > 0)
    .map((inner) => combine('and', inner.map(parseCheck)));
  return alternatives.length === 0 ? FALSE : combine('or', alternatives);
}

function combine(kind: 'and' | 'or', of: Expression[]): Expression {
  const [first] = of;
  return of.length === 1 && first ? first : { kind, of };
}
