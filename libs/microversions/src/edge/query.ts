import { ListOf, jsonSchemaOf } from '@fractus/dto-schema';
import type { DtoClass, Shape, Version } from '@fractus/dto-schema';

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

export function knownParameters(cls: DtoClass, version: Version): KnownParameters {
  const { properties = {}, patternProperties = {} } = jsonSchemaOf(cls, version);
  const names = new Set(Object.keys(properties));
  const patterns = Object.keys(patternProperties).map((p) => new RegExp(p));
  return {
    keep(query) {
      const kept = Object.create(null) as RawQuery;
      for (const [name, values] of Object.entries(query)) {
        if (names.has(name) || patterns.some((p) => p.test(name))) kept[name] = values;
      }
      return kept;
    },
  };
}
