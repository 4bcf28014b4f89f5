import { mergeSchemas, orNull } from './json-schema';
import type { JsonSchema } from './json-schema';
import { schemaOfMetadata } from './class-validator-rules';
import {
  countOf,
  isClosed,
  isPresent,
  patternsOf,
  propertiesOf,
  propertyFacts,
  ruleOf,
  rulesAt,
  spansOf,
} from './metadata';
import type { DtoClass, SchemaContext } from './metadata';
import { edgesOf, ordinal } from './version';
import type { Version } from './version';

/** Walks the metadata of a class for one version. A class that contains itself becomes a `$ref`. */
class SchemaBuilder implements SchemaContext {
  private readonly open: DtoClass[] = [];
  private readonly recursive = new Set<DtoClass>();
  readonly defs: Record<string, JsonSchema> = {};

  constructor(readonly version?: Version) {}

  classSchema(cls: DtoClass): JsonSchema {
    if (this.open.includes(cls)) {
      this.recursive.add(cls);
      return { $ref: `#/$defs/${cls.name}` };
    }
    if (this.recursive.has(cls)) return { $ref: `#/$defs/${cls.name}` };
    this.open.push(cls);
    const schema = this.objectSchema(cls);
    this.open.pop();
    if (!this.recursive.has(cls)) return schema;
    this.defs[cls.name] = schema;
    return { $ref: `#/$defs/${cls.name}` };
  }

  private objectSchema(cls: DtoClass): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const name of propertiesOf(cls)) {
      if (!isPresent(cls, name, this.version)) continue;
      properties[name] = this.propertySchema(cls, name);
      if (this.isRequired(cls, name)) required.push(name);
    }
    const patterns = Object.fromEntries(
      [...patternsOf(cls)].map(([key, shape]) => [key, this.propertySchema(shape, 'value')]),
    );
    const { min, max } = countOf(cls);
    return {
      type: 'object',
      properties,
      ...(Object.keys(patterns).length > 0 ? { patternProperties: patterns } : {}),
      ...(required.length > 0 ? { required } : {}),
      ...(isClosed(cls, this.version) ? { additionalProperties: false } : {}),
      ...(min === undefined ? {} : { minProperties: min }),
      ...(max === undefined ? {} : { maxProperties: max }),
    };
  }

  propertySchema(cls: DtoClass, property: string): JsonSchema {
    const where = `${cls.name}.${property}`;
    const parts: JsonSchema[] = [];
    let nullable = false;
    for (const m of rulesAt(cls, property, this.version)) {
      const rule = ruleOf(m);
      if (rule?.nullable || m.name === 'isOptional') nullable = true;
      if (rule?.schema) parts.push(rule.schema(this));
      if (rule || m.name === 'isOptional') continue;
      if (m.type === 'conditionalValidation')
        throw new Error(`${where}: ValidateIf cannot be compiled; use Optional, Nullable or InVersions`);
      parts.push(schemaOfMetadata(m));
    }
    const merged = mergeSchemas(parts, where);
    const { secret } = propertyFacts(cls, property);
    return {
      ...(nullable ? orNull(merged) : merged),
      ...(secret ? { 'x-secret': true } : {}),
    };
  }

  private isRequired(cls: DtoClass, property: string): boolean {
    if (propertyFacts(cls, property).optional) return false;
    const rules = rulesAt(cls, property, this.version);
    const optional = rules.some((m) => m.name === 'isOptional' || ruleOf(m)?.optional);
    return !optional && rules.some((m) => m.type !== 'whitelistValidation');
  }
}

/**
 * The JSON Schema (draft 2020-12) of a DTO class in one version; without a version, in the newest. Throws when the
 * declaration cannot be said as a schema: a mistake of ours that shows at start.
 */
export function jsonSchemaOf(cls: DtoClass, version?: Version): JsonSchema {
  const builder = new SchemaBuilder(version);
  const schema = builder.classSchema(cls);
  return Object.keys(builder.defs).length > 0 ? { ...schema, $defs: builder.defs } : schema;
}

const edges = new WeakMap<DtoClass, number[]>();

/** Versions (as ordinals) at which the schema of the class may change. */
export function edgesOfClass(cls: DtoClass): readonly number[] {
  const known = edges.get(cls);
  if (known) return known;
  const made = edgesOf(spansOf(cls));
  edges.set(cls, made);
  return made;
}

/** Equal numbers mean equal schemas: how many changes of the class lie at or before the version. */
export function epochOf(cls: DtoClass, version?: Version): number {
  const all = edgesOfClass(cls);
  if (version === undefined) return all.length;
  const at = ordinal(version);
  return all.filter((edge) => edge <= at).length;
}
