import * as fc from 'fast-check';
import { compileExpression, type Asker } from './compile';
import { formatExpression, parseRule, parseText, type Expression } from './index';

const word = fc.constantFrom(
  'rule:owner',
  'role:member',
  'user_id:%(user_id)s',
  'is_admin:True',
  "'x':%(target.kind)s",
  'a.b:c:d',
  'role:%%',
);
const leaf: fc.Arbitrary<Expression> = fc.oneof(
  fc.constant<Expression>({ kind: 'true' }),
  fc.constant<Expression>({ kind: 'false' }),
  word.map((w) => parseText(w)),
);
/** Trees as the parser makes them: no single-operand and no directly nested and/or of the same kind. */
const expression = fc.letrec<{ any: Expression }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    tie('any').map((of): Expression => ({ kind: 'not', of })),
    fc
      .tuple(fc.constantFrom('and' as const, 'or' as const), fc.array(tie('any'), { minLength: 2, maxLength: 4 }))
      .map(([kind, of]): Expression => ({ kind, of })),
  ),
})).any;

describe('the policy language', () => {
  it('prints and parses back to the same expression', () => {
    fc.assert(fc.property(expression, (e) => expect(parseText(formatExpression(e))).toEqual(e)));
  });

  it('never throws, and what is not understood denies', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fc.constantFrom('(', ')', 'and', 'or', 'not', '@', 'role:x')).map((w) => w.join(' ')),
        ),
        (text) => {
          const { expression: e, problem } = parseRule(text);
          if (problem !== undefined) expect(e).toEqual({ kind: 'false' });
        },
      ),
    );
  });

  it('means what its words say, with not before and before or', () => {
    const bits = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean());
    const forms: [string, (a: boolean, b: boolean, c: boolean, d: boolean) => boolean][] = [
      ['role:a or role:b and role:c', (a, b, c) => a || (b && c)],
      ['role:a and role:b or role:c', (a, b, c) => (a && b) || c],
      ['role:a and (role:b or role:c) and role:d', (a, b, c, d) => a && (b || c) && d],
      ['not role:a and role:b', (a, b) => !a && b],
      ['not (role:a AND role:b)', (a, b) => !(a && b)],
      ['Not not role:a', (a) => a],
      ['role:a or role:b and role:c or role:d', (a, b, c, d) => a || (b && c) || d],
      ['((role:a) or ((role:b)))', (a, b) => a || b],
    ];
    fc.assert(
      fc.property(bits, fc.constantFrom(...forms), ([a, b, c, d], [text, meaning]) => {
        const roles = new Set(
          Object.entries({ a, b, c, d })
            .filter(([, on]) => on)
            .map(([name]) => name),
        );
        expect(decide(text, { roles })).toBe(meaning(a, b, c, d));
      }),
    );
  });

  it('agrees with a plain walk of the tree', () => {
    const walk = (e: Expression): boolean => {
      switch (e.kind) {
        case 'not':
          return !walk(e.of);
        case 'and':
          return e.of.every(walk);
        case 'or':
          return e.of.some(walk);
        case 'check':
          return decide(formatExpression(e), {});
        default:
          return e.kind === 'true';
      }
    };
    fc.assert(fc.property(expression, (e) => expect(decide(formatExpression(e), {})).toBe(walk(e))));
  });

  it.each([
    ['', true],
    ['   ', 'problem'],
    ['@', true],
    ['!', false],
    ['role:a role:b', 'problem'],
    ['role:a and', 'problem'],
    ['(role:a', 'problem'],
    ['role:a)', 'problem'],
    ['"quoted"', 'problem'],
    ['nonsense', 'problem'],
    ['http://policy.example/%(name)s', 'problem'],
    ['user_id:%(user_id)d', 'problem'],
  ])('%j', (text, meaning) => {
    const { problem } = parseRule(text);
    expect(problem === undefined ? decide(text, {}) : 'problem').toBe(meaning);
  });

  it.each([
    [[], true],
    [[[]], false],
    [[['role:a', 'role:b']], false],
    [[['role:a'], ['role:member']], true],
    [['role:member'], true],
    [[['role:member', 'user_id:u1']], true],
    [null, true],
  ])('the old list form %j', (source, meaning) => {
    const { expression: e } = parseRule(source as string[][]);
    expect(compileExpression(e, () => undefined)(asker({}), {})).toBe(meaning);
  });
});

describe('checks', () => {
  const target = {
    project_id: 'p1',
    user_id: 'u2',
    kind: 'x',
    enabled: true,
    none: null,
    server: { host: 'h1' },
    'a.b': 'flat',
    n: 7,
  };
  it.each([
    ['role:MEMBER', true],
    ['role:%(kind)s', false],
    ['user_id:u1', true],
    ['user_id:%(user_id)s', false],
    ['project_id:%(project_id)s', true],
    ['project_id:%(missing)s', false],
    ['not project_id:%(missing)s', true],
    ['missing:%(project_id)s', false],
    ['system_scope:all', false],
    ['system_scope:None', true],
    ['is_admin:True', false],
    ['is_admin:false', true],
    ["'x':%(kind)s", true],
    ['"y":%(kind)s', false],
    ['True:%(enabled)s', true],
    ['None:%(none)s', true],
    ['7:%(n)s', true],
    ['roles:member', true],
    ['project.id:p1', false],
    ['nested.list.name:two', true],
    ["'h1':%(server.host)s", true],
    ["'flat':%(a.b)s", true],
    ["'p1-x%':%(project_id)s-%(kind)s%%", true],
    ['rule:unknown', false],
    ['__proto__:x', false],
    ["'x':%(__proto__)s", false],
  ])('%s', (text, meaning) => {
    expect(decide(text, {}, target)).toBe(meaning);
  });
});

function asker(given: { roles?: ReadonlySet<string> }): Asker {
  const roles = given.roles ?? new Set(['member', 'reader']);
  const credentials = {
    user_id: 'u1',
    project_id: 'p1',
    system_scope: null,
    roles: [...roles],
    nested: { list: [{ name: 'one' }, { name: 'two' }] },
  };
  return { credentials, roles, isAdmin: () => false };
}

function decide(text: string, given: { roles?: ReadonlySet<string> }, target = {}): boolean {
  return compileExpression(parseText(text), () => undefined)(asker(given), target);
}
