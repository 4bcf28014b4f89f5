import { isDeepStrictEqual } from 'node:util';

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

/** JSON Schema, draft 2020-12, with the few keywords that this library reads by name. */
export interface JsonSchema {
  type?: JsonType | JsonType[];
  title?: string;
  properties?: Record<string, JsonSchema>;
  patternProperties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  enum?: unknown[];
  format?: string;
  pattern?: string;
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  [keyword: string]: unknown;
}

const typesOf = (s: JsonSchema): JsonType[] | null =>
  s.type === undefined ? null : Array.isArray(s.type) ? s.type : [s.type];

function commonTypes(a: JsonType[], b: JsonType[]): JsonType[] {
  const holds = (set: JsonType[], t: JsonType): boolean =>
    set.includes(t) || (t === 'integer' && set.includes('number'));
  return [...a.filter((t) => holds(b, t)), ...b.filter((t) => !a.includes(t) && holds(a, t))];
}

/** One schema that demands what every part demands. Parts that cannot be laid over each other go into `allOf`. */
export function mergeSchemas(parts: readonly JsonSchema[], what: string): JsonSchema {
  let types: JsonType[] | null = null;
  const merged: JsonSchema = {};
  const rest: JsonSchema[] = [];
  for (const part of parts) {
    const { type: _type, ...keywords } = part;
    const own = typesOf(part);
    if (own) {
      types = types ? commonTypes(types, own) : own;
      if (types.length === 0) throw new Error(`${what}: its rules ask for types that exclude each other`);
    }
    const clash = Object.keys(keywords).some((k) => k in merged && !isDeepStrictEqual(merged[k], keywords[k]));
    if (clash) rest.push(keywords);
    else Object.assign(merged, keywords);
  }
  if (rest.length > 0) merged.allOf = [...(merged.allOf ?? []), ...rest];
  return types ? { type: types.length === 1 ? types[0] : types, ...merged } : merged;
}

/** Keywords that speak about values of one type only, so that null passes them untouched. */
const TYPED_KEYWORDS = new Set(
  'type title description properties patternProperties required additionalProperties items minItems maxItems uniqueItems minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum minProperties maxProperties x-numeric-string'.split(
    ' ',
  ),
);

/** The same schema with null allowed. */
export function orNull(schema: JsonSchema): JsonSchema {
  const types = typesOf(schema);
  if (types?.includes('null')) return schema;
  if (types && Object.keys(schema).every((k) => TYPED_KEYWORDS.has(k))) return { ...schema, type: [...types, 'null'] };
  return { anyOf: [{ type: 'null' }, schema] };
}
