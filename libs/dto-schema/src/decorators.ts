import {
  Allow,
  IsArray,
  IsBoolean,
  IsInt,
  IsNumber,
  IsObject,
  IsString,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { compileSchema, withinBounds } from './ajv';
import type { NumericBounds } from './ajv';
import { faultsNow } from './check';
import { FORMATS } from './formats';
import type { FormatName } from './formats';
import type { JsonSchema } from './json-schema';
import { bindToSpan, contextOf, noteClosed, noteCount, notePattern, notePresence, noteProperty } from './metadata';
import type { DtoClass, MemberCount, Rule } from './metadata';
import { pythonPattern } from './python-pattern';
import type { Version, VersionSpan } from './version';

/** What a member of a list, a map or a choice must be: a type's name, a class, decorators, or a plain schema. */
export type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
export type Shape = TypeName | JsonSchema | (() => DtoClass) | PropertyDecorator | readonly PropertyDecorator[];

const TYPE_RULES: Record<TypeName, () => PropertyDecorator> = {
  string: IsString,
  integer: IsInt,
  number: IsNumber,
  boolean: IsBoolean,
  object: IsObject,
  array: IsArray,
};

const isThunk = (f: unknown): f is () => DtoClass => typeof f === 'function' && f.length === 0;

function rulesOfShape(shape: Shape): readonly PropertyDecorator[] {
  if (typeof shape === 'string') return [TYPE_RULES[shape]()];
  if (isThunk(shape)) return [Nested(shape)];
  if (typeof shape === 'function') return [shape];
  if (Array.isArray(shape)) return shape as readonly PropertyDecorator[];
  return [Json(shape as JsonSchema)];
}

/** A class with the one property `value` of that shape. */
export function classOfShape(shape: Shape): DtoClass {
  const Holder = class {};
  Object.defineProperty(Holder, 'name', { value: 'Shape' });
  for (const rule of rulesOfShape(shape)) rule(Holder.prototype, 'value');
  return Holder;
}

const fits = (holder: DtoClass, value: unknown): boolean => faultsNow(holder, { value }).length === 0;

function rule(name: string, check: (value: unknown) => boolean, facts: Rule): PropertyDecorator {
  return ValidateBy(
    {
      name,
      constraints: [],
      validator: { validate: (value: unknown) => check(value), defaultMessage: () => `$property breaks ${name}` },
    },
    { context: contextOf(facts) },
  );
}

/** Several decorators as one: how a named rule (`ServerName()`) is made. */
export const All =
  (...rules: readonly PropertyDecorator[]): PropertyDecorator =>
  (target, key) =>
    rules.forEach((r) => r(target, key));

/** The property may be missing (and, unlike IsOptional, is not null unless Nullable says so). */
export const Optional = (): PropertyDecorator =>
  ValidateIf((_, value) => value !== undefined, { context: contextOf({ optional: true }) });

/** The property may be null. */
export const Nullable = (): PropertyDecorator =>
  ValidateIf((_, value) => value !== null, { context: contextOf({ nullable: true }) });

/** Any JSON value, null too; may be missing. */
export const Anything = (): PropertyDecorator => Allow();

/** Any JSON value, null too, but it must be there: `{"pause": null}`. */
export const Present = (): PropertyDecorator => rule('present', (v) => v !== undefined, { schema: () => ({}) });

/** A value that satisfies a plain JSON schema. The way out for what no decorator says; prefer a decorator. */
export function Json(schema: JsonSchema): PropertyDecorator {
  let validate: ((value: unknown) => unknown) | undefined;
  return rule('json', (v) => v !== undefined && (validate ??= compileSchema(schema))(v) === true, {
    schema: () => schema,
  });
}

/** An object of the class. The arrow lets classes refer to each other in any order. */
export const Nested = (cls: () => DtoClass): PropertyDecorator =>
  rule('nested', (v) => faultsNow(cls(), v).length === 0, {
    schema: (at) => at.classSchema(cls()),
    uses: () => [cls()],
  });

export interface ListOptions {
  readonly min?: number;
  readonly max?: number;
  /** Members must differ. For scalars. */
  readonly unique?: boolean;
}

/** An array of that shape. */
export function ListOf(shape: Shape, { min, max, unique }: ListOptions = {}): PropertyDecorator {
  const holder = classOfShape(shape);
  const check = (v: unknown): boolean =>
    Array.isArray(v) &&
    v.length >= (min ?? 0) &&
    v.length <= (max ?? Infinity) &&
    (!unique || new Set(v).size === v.length) &&
    v.every((member) => fits(holder, member));
  return rule('list', check, {
    uses: () => [holder],
    schema: (at) => ({
      type: 'array',
      items: at.propertySchema(holder, 'value'),
      ...(min === undefined ? {} : { minItems: min }),
      ...(max === undefined ? {} : { maxItems: max }),
      ...(unique ? { uniqueItems: true } : {}),
    }),
  });
}

export interface MapOptions {
  /** Keys that have the shape; a text is a Python pattern. Without it every key has. */
  readonly key?: RegExp | string;
  /** Whether other keys are allowed, with any value. Default no. */
  readonly others?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

const sourceOf = (pattern: RegExp | string): string =>
  typeof pattern === 'string' ? pythonPattern(pattern) : pattern.source;

/** An object whose keys are data: metadata, extra specs, allocations by provider. */
export function MapOf(
  shape: Shape,
  { key, others = false, minProperties, maxProperties }: MapOptions = {},
): PropertyDecorator {
  const holder = classOfShape(shape);
  const pattern = key === undefined ? undefined : new RegExp(sourceOf(key));
  const check = (v: unknown): boolean => {
    if (typeof v !== 'object' || v === null || Array.isArray(v)) return false;
    const entries = Object.entries(v);
    if (entries.length < (minProperties ?? 0) || entries.length > (maxProperties ?? Infinity)) return false;
    return entries.every(([k, member]) => (pattern && !pattern.test(k) ? others : fits(holder, member)));
  };
  return rule('map', check, {
    uses: () => [holder],
    schema: (at) => {
      const value = at.propertySchema(holder, 'value');
      return {
        type: 'object',
        ...(pattern
          ? { patternProperties: { [pattern.source]: value }, ...(others ? {} : { additionalProperties: false }) }
          : { additionalProperties: value }),
        ...(minProperties === undefined ? {} : { minProperties }),
        ...(maxProperties === undefined ? {} : { maxProperties }),
      };
    },
  });
}

function choice(
  keyword: 'oneOf' | 'anyOf',
  shapes: readonly Shape[],
  enough: (n: number) => boolean,
): PropertyDecorator {
  const holders = shapes.map(classOfShape);
  return rule(keyword, (v) => v !== undefined && enough(holders.filter((h) => fits(h, v)).length), {
    uses: () => holders,
    schema: (at) => ({ [keyword]: holders.map((h) => at.propertySchema(h, 'value')) }),
  });
}

/** Exactly one of the shapes. */
export const OneOf = (...shapes: readonly Shape[]): PropertyDecorator => choice('oneOf', shapes, (n) => n === 1);

/** At least one of the shapes. */
export const AnyOf = (...shapes: readonly Shape[]): PropertyDecorator => choice('anyOf', shapes, (n) => n > 0);

export interface NumericOptions {
  readonly min?: number;
  readonly max?: number;
  /** What the text must look like, as a Python pattern. Default digits. */
  readonly pattern?: string;
  readonly minLength?: number;
}

/** An integer, or a text of one (`"3"`): what Nova takes wherever XML once was. The bounds hold for both. */
export function NumericString({ min, max, pattern = '^[0-9]+$', minLength }: NumericOptions = {}): PropertyDecorator {
  const bounds: NumericBounds = {
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  };
  const source = pythonPattern(pattern);
  const text = new RegExp(source);
  const check = (v: unknown): boolean => {
    if (typeof v === 'number') return Number.isInteger(v) && v >= (min ?? -Infinity) && v <= (max ?? Infinity);
    return typeof v === 'string' && text.test(v) && [...v].length >= (minLength ?? 0) && withinBounds(v, bounds);
  };
  return rule('numericString', check, {
    schema: () => ({
      type: ['integer', 'string'],
      pattern: source,
      ...bounds,
      ...(minLength === undefined ? {} : { minLength }),
      ...(min === undefined && max === undefined ? {} : { 'x-numeric-string': bounds }),
    }),
  });
}

const TRUE_TEXTS = ['True', 'TRUE', 'true', '1', 'ON', 'On', 'on', 'YES', 'Yes', 'yes'];
const FALSE_TEXTS = ['False', 'FALSE', 'false', '0', 'OFF', 'Off', 'off', 'NO', 'No', 'no'];
const BOOLEANS: readonly unknown[] = [true, ...TRUE_TEXTS, false, ...FALSE_TEXTS];

/** A boolean, or one of the texts that Nova takes for one. `toBoolean` reads it. */
export const BooleanLike = (): PropertyDecorator =>
  rule('booleanLike', (v) => BOOLEANS.includes(v), {
    schema: () => ({ type: ['boolean', 'string'], enum: [...BOOLEANS] }),
  });

/** The boolean that a value accepted by BooleanLike stands for; undefined stays undefined. */
export function toBoolean(value: boolean | string): boolean;
export function toBoolean(value: boolean | string | undefined): boolean | undefined;
export function toBoolean(value: boolean | string | undefined): boolean | undefined {
  return typeof value === 'string' ? TRUE_TEXTS.includes(value) : value;
}

/** A text in one of the formats of `FORMATS`. */
export const Format = (name: FormatName): PropertyDecorator =>
  rule(`format ${name}`, (v) => typeof v === 'string' && FORMATS[name].check(v), {
    schema: () => ({ type: 'string', format: name }),
  });

/** A text that matches a pattern with the meaning of Python's `re.search`. */
export function Pattern(python: string): PropertyDecorator {
  const source = pythonPattern(python);
  const pattern = new RegExp(source);
  return rule('pattern', (v) => typeof v === 'string' && pattern.test(v), {
    schema: () => ({ type: 'string', pattern: source }),
  });
}

/** The property exists in these spans of versions only: `Versions('2.32', '2.42-')`. */
export const Versions =
  (...spans: readonly VersionSpan[]): PropertyDecorator =>
  (target, key) =>
    notePresence(target.constructor, String(key), [...spans]);

/** The property exists from this version on. */
export const Since = (version: Version): PropertyDecorator => Versions(`${version}-`);

/** The property exists up to this version, that one included. */
export const Until = (version: Version): PropertyDecorator => Versions(`-${version}`);

/** These rules hold in the span only: how a property that changes is declared, one line a shape. */
export const InVersions =
  (span: VersionSpan, ...rules: readonly PropertyDecorator[]): PropertyDecorator =>
  (target, key) =>
    bindToSpan(target.constructor as DtoClass, span, () => rules.forEach((r) => r(target, key)));

/** The value never appears in an error message or a log. */
export const Secret = (): PropertyDecorator => (target, key) =>
  noteProperty(target.constructor, String(key), { secret: true });

/** Unknown members are refused (`additionalProperties: false`): always, or in these spans of versions only. */
export const Closed =
  (...spans: readonly VersionSpan[]): ClassDecorator =>
  (cls) =>
    noteClosed(cls, spans.length > 0 ? spans : ['-']);

/** Unknown members pass. The default of every class that does not extend a closed one, since contracts only grow. */
export const Open = (): ClassDecorator => (cls) => noteClosed(cls, []);

/** Members whose names match the Python pattern have this shape, beside the declared ones. */
export const AlsoProperties =
  (key: string, shape: Shape): ClassDecorator =>
  (cls) =>
    notePattern(cls, pythonPattern(key), classOfShape(shape));

/** How many members the object may have. */
export const Members =
  (count: MemberCount): ClassDecorator =>
  (cls) =>
    noteCount(cls, count);
