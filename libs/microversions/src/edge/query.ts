import { ListOf } from '@fractus/dto-schema';
import type { JsonSchema, Shape } from '@fractus/dto-schema';

/** Every value of every parameter, in the order they came. */
export type RawQuery = Record<string, string[]>;

/** A query parameter that may be repeated; each value has the shape. */
export const Parameters = (...shape: readonly PropertyDecorator[]): PropertyDecorator => ListOf(shape);

/** A query parameter that may come once only. */
export const Parameter = (...shape: readonly PropertyDecorator[]): PropertyDecorator => ListOf(shape, { max: 1 });

/** A query parameter of any text, repeated or not. */
export const TextParameters = (): PropertyDecorator => ListOf('string' satisfies Shape);

/** The value that counts when a parameter is repeated: the last, as upstream's framework has it. */
export const lastOf = (values: readonly string[] | undefined): string | undefined => values?.at(-1);

export interface KnownParameters {
  /** The query without what the class does not know. */
  keep(query: RawQuery): RawQuery;
}

const parametersBySchema = new WeakMap<JsonSchema, KnownParameters>();

/** The parameters that the schema of a query names. */
export function knownParameters(schema: JsonSchema): KnownParameters {
  const known = parametersBySchema.get(schema);
  if (known) return known;
  const names = new Set(Object.keys(schema.properties ?? {}));
  const patterns = Object.keys(schema.patternProperties ?? {}).map((p) => new RegExp(p));
  const made: KnownParameters = {
    keep(query) {
      const kept = Object.create(null) as RawQuery;
      for (const [name, values] of Object.entries(query)) {
        if (names.has(name) || patterns.some((p) => p.test(name))) kept[name] = values;
      }
      return kept;
    },
  };
  parametersBySchema.set(schema, made);
  return made;
}
