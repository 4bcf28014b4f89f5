import { getMetadataStorage } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';
import type { JsonSchema } from './json-schema';

/** How class-validator's own decorators read as JSON Schema. What has no row runs class-validator's function itself. */
type Translate = (constraints: readonly unknown[]) => JsonSchema | undefined;

const scalars = (values: unknown): unknown[] => (Array.isArray(values) ? values : Object.values(values as object));

/** An enum's values without the reverse names that TypeScript adds to numeric enums, as class-validator sees them. */
const noOptions = (options: unknown): boolean => options === undefined || Object.keys(options as object).length === 0;

function regexp([pattern, modifiers]: readonly unknown[]): JsonSchema | undefined {
  const plain = pattern instanceof RegExp && (pattern.flags === '' || pattern.flags === 'u') && modifiers === undefined;
  // a pattern that says something else without the flag has no place in a schema that is compiled without it
  return plain && (pattern.flags === '' || !/\\[pP]\{|\\u\{/.test(pattern.source))
    ? { type: 'string', pattern: pattern.source }
    : undefined;
}

const TABLE: Record<string, Translate> = {
  isString: () => ({ type: 'string' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: ([options]) => (noOptions(options) ? { type: 'number' } : undefined),
  isBoolean: () => ({ type: 'boolean' }),
  isArray: () => ({ type: 'array' }),
  isObject: () => ({ type: 'object' }),
  min: ([n]) => ({ type: 'number', minimum: n }),
  max: ([n]) => ({ type: 'number', maximum: n }),
  isPositive: () => ({ type: 'number', exclusiveMinimum: 0 }),
  isNegative: () => ({ type: 'number', exclusiveMaximum: 0 }),
  minLength: ([n]) => ({ type: 'string', minLength: n }),
  maxLength: ([n]) => ({ type: 'string', maxLength: n }),
  isLength: ([min, max]) => ({ type: 'string', minLength: min, ...(max === undefined ? {} : { maxLength: max }) }),
  matches: regexp,
  isIn: ([values]) => ({ enum: scalars(values) }),
  isNotIn: ([values]) => ({ not: { enum: scalars(values) } }),
  isEnum: ([entity]) => ({ enum: scalars(entity) }),
  equals: ([value]) => ({ const: value }),
  notEquals: ([value]) => ({ not: { const: value } }),
  isNotEmpty: () => ({ not: { enum: ['', null] } }),
  isDefined: () => ({ not: { type: 'null' } }),
  arrayMinSize: ([n]) => ({ type: 'array', minItems: n }),
  arrayMaxSize: ([n]) => ({ type: 'array', maxItems: n }),
  arrayNotEmpty: () => ({ type: 'array', minItems: 1 }),
  arrayUnique: ([identifier]) => (identifier === undefined ? { type: 'array', uniqueItems: true } : undefined),
};

/** class-validator functions that schemas refer to by name, as `x-class-validator`. */
const functions = new Map<string, (value: unknown, object: object) => boolean>();

export function runClassValidator(name: string, value: unknown, object: object): boolean {
  return functions.get(name)?.(value, object) ?? false;
}

function fallback(m: ValidationMetadata): JsonSchema {
  const constraints = getMetadataStorage().getTargetValidatorConstraints(m.constraintCls);
  if (constraints.length === 0 || constraints.some((c) => c.async)) {
    throw new Error(
      `${m.propertyName}: ${m.name ?? m.type} cannot be compiled; use Nested, ListOf or MapOf, and no asynchronous validator`,
    );
  }
  const name = `${m.name ?? 'custom'}#${functions.size + 1}`;
  functions.set(name, (value, object) =>
    constraints.every((c) => {
      const args = { value, constraints: m.constraints, targetName: '', object, property: m.propertyName };
      return c.instance.validate(value, args) === true;
    }),
  );
  return { 'x-class-validator': name };
}

const translated = new WeakMap<ValidationMetadata, JsonSchema>();

/** The schema of one class-validator rule. Throws for what a schema cannot say (ValidateNested, ValidateIf, promises). */
export function schemaOfMetadata(m: ValidationMetadata): JsonSchema {
  const known = translated.get(m);
  if (known) return known;
  if (m.type === 'whitelistValidation') return {};
  const plain = m.name === undefined ? undefined : TABLE[m.name]?.(m.constraints ?? []);
  const schema = plain ?? fallback(m);
  const made = m.each ? { items: schema } : schema;
  translated.set(m, made);
  return made;
}
