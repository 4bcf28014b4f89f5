import fc from 'fast-check';
import type { JsonSchema } from '@fractus/dto-schema';
import { upstreamValidator } from './contract';

/**
 * Bodies near a JSON schema: mostly what it asks for, at its bounds, and now and then something else in one place, so
 * that two readings of a schema are compared where they could differ.
 */
const WILD: readonly unknown[] = [null, true, false, 0, 1, -1, 1.5, '', 'x', '1', 'True', [], ['x'], {}, { x: 1 }];

const UUID = 'c6f4b1a4-9d1f-4d5a-8b5e-2f0a7b1c3d4e';
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  uuid: [UUID, UUID.replaceAll('-', ''), UUID.toUpperCase(), `${UUID}0`, 'x'],
  ipv4: ['10.0.0.1', '10.0.0.256', '10.0.0'],
  ipv6: ['::1', 'fe80::1%1', '::g'],
  base64: ['YQ==', 'YQ', 'Y!Q=\n=', ''],
  'date-time': ['2020-01-01T00:00:00Z', '2020-01-01', '2020-13-01', 'now'],
  cidr: ['10.0.0.0/8', '10.0.0.0', '::/0'],
  name: ['a', ' a', 'a ', 'a b', 'é', 'a\n', '\n', '😀', 'a\u0000', 'a:b'],
  regex: ['a', '[', ''],
  uri: ['http://a/b', 'x'],
};
const POOL = [
  'a',
  'ab',
  'a-b',
  '-a',
  'a b',
  'a,b',
  'a/b',
  '/a',
  'a.b',
  'a_b',
  '0',
  '1',
  '-1',
  '01',
  '12',
  '9999999999',
  '1.5',
  ' 1',
  'a\n',
  '1\n',
  'é',
  '😀',
  '/10.0.0.0',
  'none',
  'auto',
  UUID,
];

/** Character that every rule about characters lets pass, for texts of a given length. */
const ofLength = (n: number): string => (n > 70_000 ? 'a' : 'a'.repeat(Math.max(0, n)));

function texts(schema: JsonSchema): string[] {
  const { format, minLength, maxLength } = schema as { format?: string; minLength?: number; maxLength?: number };
  const known = TEXTS[format ?? ''] ?? (format?.includes('name') ? TEXTS.name : undefined);
  const bounds = [minLength, maxLength].flatMap((n) =>
    n === undefined ? [] : [ofLength(n - 1), ofLength(n), ofLength(n + 1)],
  );
  return [
    ...(known ?? (format ? POOL : [...POOL])),
    ...bounds,
    ...(schema.pattern?.includes('0-9') ? ['1', '2', '3'] : []),
  ];
}

function numbers(schema: JsonSchema): number[] {
  const bounds = [schema.minimum, schema.maximum].filter((n): n is number => typeof n === 'number');
  return [0, 1, 2, -1, 1.5, ...bounds.flatMap((n) => [n - 1, n, n + 1])];
}

const wild = fc.constantFrom(...WILD);

/** Values of the pool, nearly always one that the schema accepts. */
function mostlyGood(schema: JsonSchema, pool: readonly unknown[]): fc.Arbitrary<unknown> {
  const validate = upstreamValidator(schema);
  const good = pool.filter((v) => validate(v));
  if (good.length === 0) return fc.constantFrom(...pool);
  return fc.oneof(
    { weight: 80, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...pool) },
  );
}

function array(schema: JsonSchema): fc.Arbitrary<unknown> {
  const item = arbitraryOf(schema.items ?? {});
  const max = typeof schema.maxItems === 'number' ? schema.maxItems : 2;
  const crowded = fc.constantFrom(max, max + 1).map((n) => Array.from({ length: n }, (_, i) => `t${i}`));
  return fc.oneof({ weight: 40, arbitrary: fc.array(item, { maxLength: 2 }) }, { weight: 1, arbitrary: crowded });
}

const KEYS = ['a', 'A b', 'a:b', 'a/b', '', 'é', 'property-x', ofLength(255), ofLength(256), 'a\n', 'unknown', '_x'];

function object(schema: JsonSchema): fc.Arbitrary<unknown> {
  const properties = schema.properties ?? {};
  const required = new Set(schema.required ?? []);
  const members = Object.entries(properties).map(([name, s]) => {
    const presence = required.has(name) ? 0.99 : 0.25;
    return fc.tuple(
      fc.constant(name),
      arbitraryOf(s),
      fc.double({ min: 0, max: 1, noNaN: true }).map((p) => p < presence),
    );
  });
  const [[pattern, patterned] = []] = Object.entries(schema.patternProperties ?? {});
  const value = arbitraryOf(patterned ?? {});
  const keys = KEYS.filter((k) => pattern !== undefined && new RegExp(pattern).test(k));
  const key =
    keys.length > 0
      ? fc.oneof(
          { weight: 40, arbitrary: fc.constantFrom(...keys) },
          { weight: 1, arbitrary: fc.constantFrom(...KEYS) },
        )
      : fc.constantFrom(...KEYS);
  const others = fc.dictionary(key, value, { maxKeys: schema.patternProperties ? 3 : 1, noNullPrototype: true });
  const some = schema.patternProperties
    ? others
    : fc.oneof({ weight: 200, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: others });
  return fc.tuple(fc.tuple(...members), some).map(([entries, extra]) => ({
    ...extra,
    ...Object.fromEntries(entries.filter(([, , there]) => there).map(([name, v]) => [name, v])),
  }));
}

function typed(schema: JsonSchema): fc.Arbitrary<unknown> {
  const types = [schema.type ?? []].flat();
  const byType: fc.Arbitrary<unknown>[] = types.map((type) => {
    if (type === 'string') return mostlyGood(schema, texts(schema));
    if (type === 'integer' || type === 'number') return mostlyGood(schema, numbers(schema));
    if (type === 'boolean') return fc.boolean();
    if (type === 'array') return array(schema);
    if (type === 'object') return object(schema);
    return fc.constant(null);
  });
  return byType.length === 0 ? wild : fc.oneof(...byType);
}

/** A choice that only adds to what stands beside it is made together with that. */
function withOuter(schema: JsonSchema, choice: JsonSchema): JsonSchema {
  if (schema.type === 'string') return { type: 'string', ...choice };
  if (!schema.properties || choice.properties || choice.type) return choice;
  const { oneOf: _oneOf, anyOf: _anyOf, ...outer } = schema;
  return { ...outer, ...choice };
}

export function arbitraryOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const choices = schema.oneOf ?? schema.anyOf;
  const good = schema.enum
    ? fc.constantFrom(...schema.enum)
    : choices
      ? fc.oneof(...choices.map((c) => arbitraryOf(withOuter(schema, c))))
      : typed(schema);
  return fc.oneof({ weight: 300, arbitrary: good }, { weight: 1, arbitrary: wild });
}

/** Every body that differs from `base` in one place that the schema names: each place set to each value near its rules. */
export function* variations(schema: JsonSchema, base: unknown): Generator<unknown> {
  const here = [...WILD, ...(schema.enum ?? []), ...texts(schema), ...numbers(schema)];
  yield* here;
  for (const choice of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) yield* variations(choice, base);
  const isObject = typeof base === 'object' && base !== null && !Array.isArray(base);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const parent = isObject ? (base as Record<string, unknown>) : {};
    const { [name]: member, ...without } = parent;
    yield without;
    for (const v of variations(property, member)) yield { ...parent, [name]: v };
  }
  if (schema.type === 'object' || schema.properties)
    for (const key of KEYS) yield { ...(isObject ? base : {}), [key]: 'x' };
  if (schema.items) {
    for (const v of variations(schema.items, undefined)) yield [v];
    for (const n of [schema.minItems, schema.maxItems])
      if (typeof n === 'number')
        for (const k of [n - 1, n, n + 1]) if (k >= 0) yield Array.from({ length: k }, (_, i) => `t${i}`);
    yield ['t', 't'];
  }
  for (const value of Object.values(schema.patternProperties ?? {}))
    for (const key of KEYS) for (const v of variations(value, undefined)) yield { [key]: v };
}
