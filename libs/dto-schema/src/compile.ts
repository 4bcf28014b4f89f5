import type { ValidateFunction } from 'ajv/dist/2020';
import { invalid } from '@fractus/objects';
import { compileSchema } from './ajv';
import type { JsonSchema } from './json-schema';
import { violationOf } from './messages';
import type { Source, Violation } from './messages';
import type { DtoClass } from './metadata';
import { epochOf, jsonSchemaOf } from './schema';
import type { Version } from './version';

export interface CompileOptions {
  /** Without a version the newest shape is meant. */
  readonly version?: Version;
  /** Words of the message. Default `body`. */
  readonly source?: Source;
  /** `drop`: members that a closed class does not know are removed instead of refused (the legacy /v2 endpoint). */
  readonly unknown?: 'refuse' | 'drop';
}

export interface CompiledDto<T> {
  readonly schema: JsonSchema;
  /** The value itself, now known to be a T. Throws `invalid` with code `validation` and details {path, rule}. */
  parse(value: unknown): T;
  /** The first broken rule, or null. */
  check(value: unknown): Violation | null;
}

/** The schema with "refuse unknown members" turned into "drop them"; maps keep refusing, as upstream does. */
function lenient(schema: JsonSchema): JsonSchema {
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== 'object' || node === null) return node;
    const out = Object.fromEntries(
      Object.entries(node).map(([k, v]) => [k, k === 'enum' || k === 'const' ? v : walk(v)]),
    );
    if (out.additionalProperties === false && out.patternProperties === undefined) {
      delete out.additionalProperties;
      out['x-drop-unknown'] = Object.keys((out.properties as object | undefined) ?? {});
    }
    return out;
  };
  return walk(schema) as JsonSchema;
}

/** A validator for any schema of this library's dialect. ajv's code is made on first use. */
export function compiledFrom<T>(schema: JsonSchema, source: Source = 'body'): CompiledDto<T> {
  let validate: ValidateFunction | undefined;
  const check = (value: unknown): Violation | null => {
    validate ??= compileSchema(schema);
    return validate(value) ? null : violationOf(validate.errors ?? [], source);
  };
  const parse = (value: unknown): T => {
    const broken = check(value);
    if (broken)
      throw invalid(broken.message, { code: 'validation', details: { path: broken.path, rule: broken.rule } });
    return value as T;
  };
  return { schema, check, parse };
}

const compiled = new WeakMap<DtoClass, Map<string, CompiledDto<unknown>>>();

/**
 * The validator of a DTO class for one version. Versions between which the class does not change share one. The schema
 * is built now, so that a declaration that makes no sense fails at start.
 */
export function compileDto<T extends object>(cls: DtoClass<T>, options: CompileOptions = {}): CompiledDto<T> {
  const { version, source = 'body', unknown = 'refuse' } = options;
  const byKey = compiled.get(cls) ?? new Map<string, CompiledDto<unknown>>();
  compiled.set(cls, byKey);
  const key = `${epochOf(cls, version)} ${source} ${unknown}`;
  const known = byKey.get(key);
  if (known) return known as CompiledDto<T>;
  const schema = jsonSchemaOf(cls, version);
  const made = compiledFrom<T>(unknown === 'drop' ? lenient(schema) : schema, source);
  byKey.set(key, made);
  return made;
}
