/** Values near a JSON schema, and values that nobody should send. */
import fc from 'fast-check';

/** Any JSON schema, as far as the generator reads it. */
export interface LooseSchema {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: LooseSchema;
  properties?: Readonly<Record<string, LooseSchema>>;
  patternProperties?: Readonly<Record<string, LooseSchema>>;
  required?: readonly string[];
  oneOf?: readonly LooseSchema[];
  anyOf?: readonly LooseSchema[];
  allOf?: readonly LooseSchema[];
}

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
const TEXTS = [
  '',
  ' ',
  'a',
  '0',
  '-1',
  '1e999',
  'NaN',
  'null',
  'true',
  '%',
  '%00',
  '\u0000',
  '\ufeff',
  '\ud800',
  '\u202e',
  '😀'.repeat(40),
  "'; DROP TABLE servers; --",
  '../../etc/passwd',
  '{{7*7}}',
  '${x}',
  '__proto__',
  '99999999999999999999',
  'é',
  '\n',
  'x'.repeat(256),
  'x'.repeat(70_000),
];

/** What no field asks for: every type, at its ends, and a few that have broken programs before. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    1e308,
    5e-324,
    [],
    {},
    [[]],
    [null],
    [{}],
  ),
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom<unknown>(
    nested(40),
    nested(3000),
    Array.from({ length: 5000 }, () => 0),
  ),
  fc.constantFrom<unknown>(
    JSON.parse('{"__proto__": {"admin": true}}'),
    { constructor: { prototype: 1 } },
    { toString: 1, hasOwnProperty: null, length: -1 },
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

const UUID = 'c6f4b1a4-9d1f-4d5a-8b5e-2f0a7b1c3d4e';
const BY_FORMAT: Readonly<Record<string, readonly string[]>> = {
  uuid: [UUID],
  ipv4: ['10.0.0.1', '255.255.255.255'],
  ipv6: ['::1', 'fe80::1'],
  base64: ['YQ==', ''],
  'date-time': ['2020-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
  cidr: ['10.0.0.0/8', '::/0'],
  uri: ['http://a/b'],
};
const WORDS = ['a', 'A1', 'CUSTOM_X', 'VCPU', 'none', 'auto', '1', '42', '/dev/vda', 'x-y', UUID];

function text(schema: LooseSchema): fc.Arbitrary<unknown> {
  const known = BY_FORMAT[schema.format ?? ''];
  if (known) return fc.constantFrom(...known);
  const { minLength = 0, maxLength } = schema;
  const fits = (s: string): boolean =>
    s.length >= minLength && s.length <= (maxLength ?? Infinity) && (!schema.pattern || matches(schema.pattern, s));
  const pool = [...WORDS, 'a'.repeat(Math.min(minLength, 300)), 'a'.repeat(Math.min(maxLength ?? 5, 300))].filter(fits);
  return pool.length ? fc.constantFrom(...pool) : fc.constantFrom(...WORDS);
}

function matches(pattern: string, s: string): boolean {
  try {
    return new RegExp(pattern).test(s);
  } catch {
    return true;
  }
}

function number({ minimum, maximum }: LooseSchema): fc.Arbitrary<unknown> {
  return fc.constantFrom(
    ...[
      0,
      1,
      2,
      7,
      ...(minimum === undefined ? [] : [minimum, minimum + 1]),
      ...(maximum === undefined ? [] : [maximum, maximum - 1]),
    ],
  );
}

function object(schema: LooseSchema, spoil: number): fc.Arbitrary<unknown> {
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties ?? {}).map(([name, s]) =>
    fc.tuple(
      fc.constant(name),
      near(s, spoil),
      fc.nat(9).map((n) => required.has(name) || n < 3),
    ),
  );
  const patterned = Object.values(schema.patternProperties ?? {})[0];
  const others = patterned
    ? fc.dictionary(fc.constantFrom(...WORDS), near(patterned, spoil), { maxKeys: 3, noNullPrototype: true })
    : fc.constant({});
  return fc.tuple(fc.tuple(...members), others).map(([entries, extra]) => ({
    ...extra,
    ...Object.fromEntries(entries.filter(([, , there]) => there).map(([name, value]) => [name, value])),
  }));
}

const made = new WeakMap<LooseSchema, Map<number, fc.Arbitrary<unknown>>>();

/** Values that a schema asks for, each part of them spoiled with a chance of `spoil` in a thousand. */
export function near(schema: LooseSchema, spoil: number): fc.Arbitrary<unknown> {
  const known = made.get(schema) ?? new Map<number, fc.Arbitrary<unknown>>();
  made.set(schema, known);
  let arbitrary = known.get(spoil);
  if (!arbitrary) known.set(spoil, (arbitrary = makeNear(schema, spoil)));
  return arbitrary;
}

function makeNear(schema: LooseSchema, spoil: number): fc.Arbitrary<unknown> {
  const good = wanted(schema, spoil);
  return spoil === 0
    ? good
    : fc.oneof({ weight: 1000 - spoil, arbitrary: good }, { weight: spoil, arbitrary: hostileValue });
}

function wanted(schema: LooseSchema, spoil: number): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (choices)
    return fc.oneof(...choices.map((c) => near({ ...(schema.type ? { type: schema.type } : {}), ...c }, spoil)));
  const types = [schema.type ?? (schema.properties ? 'object' : [])].flat();
  if (types.length === 0) return hostileValue;
  return fc.oneof(
    ...types.map((type) => {
      if (type === 'string') return text(schema);
      if (type === 'integer' || type === 'number') return number(schema);
      if (type === 'boolean') return fc.boolean();
      if (type === 'array')
        return fc.array(near(schema.items ?? {}, spoil), {
          minLength: Math.min(schema.minItems ?? 0, 3),
          maxLength: 3,
        });
      if (type === 'object') return object(schema, spoil);
      return fc.constant(null);
    }),
  );
}

/** An example with some of its parts spoiled, for bodies that have no schema at hand. */
export function spoiled(example: unknown, spoil: number): fc.Arbitrary<unknown> {
  const whole = (): fc.Arbitrary<unknown> => {
    if (Array.isArray(example)) return fc.tuple(...example.map((e) => spoiled(e, spoil)));
    if (typeof example !== 'object' || example === null) return fc.constant(example);
    const members = Object.entries(example).map(([name, e]) =>
      fc.tuple(fc.constant(name), spoiled(e, spoil), fc.nat(19)),
    );
    return fc
      .tuple(...members)
      .map((entries) => Object.fromEntries(entries.filter(([, , n]) => n > 0).map(([name, value]) => [name, value])));
  };
  return fc.oneof({ weight: 1000 - spoil, arbitrary: whole() }, { weight: spoil, arbitrary: hostileValue });
}
