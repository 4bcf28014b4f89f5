/**
 * Which query parameters each operation takes in which version. Upstream validates the last value of each parameter
 * against a schema; the schemas are made from this table.
 */
import { type JsonSchema, inSpan } from '@fractus/dto-schema';

interface ParameterSpec {
  /** The versions that take it, as a span. */
  readonly versions: string;
  readonly schema: JsonSchema;
  readonly required?: boolean;
}

interface PatternSpec {
  readonly versions: string;
  /** Names before the suffix. */
  readonly names: readonly string[];
  readonly suffix: string;
}

export interface QuerySpec {
  readonly parameters: Readonly<Record<string, ParameterSpec | readonly ParameterSpec[]>>;
  readonly patterns?: readonly PatternSpec[];
}

const TEXT: JsonSchema = { type: 'string' };
const UUID: JsonSchema = { type: 'string', format: 'uuid' };
const ID: JsonSchema = { type: 'string', minLength: 1, maxLength: 255 };
const LIMIT: JsonSchema = { type: ['integer', 'string'], pattern: '^[1-9][0-9]*$', minimum: 1, minLength: 1 };
const GROUP = ['resources', 'required', 'member_of'];
const NUMBER = '[1-9][0-9]*';
/** A suffix of a request group from 1.33 on. */
export const GROUP_NAME = '[a-zA-Z0-9_-]{1,64}';

const CANDIDATES: QuerySpec = {
  parameters: {
    resources: { versions: '1.10-1.24', schema: TEXT, required: true },
    limit: { versions: '1.16-', schema: LIMIT },
    required: { versions: '1.17-1.24', schema: TEXT },
    member_of: { versions: '1.21-1.24', schema: TEXT },
    group_policy: { versions: '1.25-', schema: { type: 'string', enum: ['none', 'isolate'] } },
    root_required: { versions: '1.35-', schema: TEXT },
    same_subtree: { versions: '1.36-', schema: TEXT },
  },
  patterns: [
    { versions: '1.25-1.30', names: GROUP, suffix: NUMBER },
    { versions: '1.31-1.32', names: [...GROUP, 'in_tree'], suffix: NUMBER },
    { versions: '1.33-', names: [...GROUP, 'in_tree'], suffix: GROUP_NAME },
  ],
};

export const QUERIES: Readonly<Record<string, QuerySpec>> = {
  'GET /resource_providers': {
    parameters: {
      name: { versions: '1.0-', schema: TEXT },
      uuid: { versions: '1.0-', schema: UUID },
      member_of: { versions: '1.3-', schema: TEXT },
      resources: { versions: '1.4-', schema: TEXT },
      in_tree: { versions: '1.14-', schema: UUID },
      required: { versions: '1.18-', schema: TEXT },
    },
  },
  'GET /traits': {
    parameters: { name: { versions: '1.6-', schema: TEXT }, associated: { versions: '1.6-', schema: TEXT } },
  },
  'GET /usages': {
    parameters: {
      project_id: { versions: '1.9-', schema: ID, required: true },
      user_id: { versions: '1.9-', schema: ID },
      consumer_type: { versions: '1.38-', schema: { ...ID, pattern: '^[A-Z0-9_]+$|^all|^unknown$' } },
    },
  },
  'GET /allocation_candidates': CANDIDATES,
  'GET /allocation_candidates/explain': CANDIDATES,
};

const made = new Map<string, JsonSchema>();

/** The schema of an operation's query in one version; undefined where anything goes. */
export function querySchema(operation: string, version: string): JsonSchema | undefined {
  const spec = QUERIES[operation];
  if (!spec) return undefined;
  const key = `${operation} ${version}`;
  let schema = made.get(key);
  if (!schema) made.set(key, (schema = build(spec, version)));
  return schema;
}

function build(spec: QuerySpec, version: string): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [name, given] of Object.entries(spec.parameters)) {
    const found = [given].flat().find((p) => inSpan(p.versions, version));
    if (!found) continue;
    properties[name] = found.schema;
    if (found.required) required.push(name);
  }
  const patterns = (spec.patterns ?? [])
    .filter((p) => inSpan(p.versions, version))
    .flatMap((p) => p.names.map((n) => [`^${n}(${p.suffix})?$`, TEXT]));
  return {
    type: 'object',
    properties,
    ...(required.length ? { required } : {}),
    ...(patterns.length ? { patternProperties: Object.fromEntries(patterns) as Record<string, JsonSchema> } : {}),
    additionalProperties: false,
  };
}
