/**
 * Says which rule of a schema a value breaks, in the form that clients of Placement know from Python's jsonschema: the
 * reason, then the rule and where it stands in the schema, then the place in the value.
 */
import { type JsonSchema, compileSchema } from '@fractus/dto-schema';

type Validate = ReturnType<typeof compileSchema>;
type Fault = NonNullable<Validate['errors']>[number];

const validators = new WeakMap<object, Validate>();

/** What is wrong with the value, or undefined. */
export function faultOf(schema: JsonSchema, value: unknown): string | undefined {
  let validate = validators.get(schema);
  if (!validate) validators.set(schema, (validate = compileSchema(schema)));
  if (validate(value)) return undefined;
  const fault = deciding(validate.errors ?? []);
  return fault ? describe(fault) : 'the value is not valid';
}

/** Of "this or null" the failure of "this" tells more. */
function deciding(faults: readonly Fault[]): Fault | undefined {
  const last = faults.at(-1);
  return last?.keyword === 'anyOf' ? (faults.find((f) => f.params['type'] !== 'null' && f !== last) ?? last) : last;
}

function describe(fault: Fault): string {
  const parts = fault.schemaPath
    .split('/')
    .slice(1, -1)
    .map((p) => decodeURIComponent(p).replaceAll('~1', '/').replaceAll('~0', '~'));
  const at = parts.map((p) => (/^\d+$/.test(p) ? `[${p}]` : `[${repr(p)}]`)).join('');
  const where = fault.instancePath
    .split('/')
    .slice(1)
    .map((p) => p.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((p) => (/^\d+$/.test(p) ? `[${p}]` : `[${repr(p)}]`))
    .join('');
  const rule = fault.keyword === 'anyOf' && isNullable(fault) ? 'type' : fault.keyword;
  return `${clip(reason(fault))}\n\nFailed validating ${repr(rule)} in schema${at}\n\nOn instance${where}:\n    ${clip(repr(fault.data))}`;
}

const isNullable = (fault: Fault): boolean =>
  Array.isArray(fault.schema) && fault.schema.some((s: { type?: unknown }) => s.type === 'null');

function reason(f: Fault): string {
  const value = repr(f.data);
  const params = f.params as Record<string, unknown>;
  switch (f.keyword) {
    case 'type':
      return `${value} is not of type ${[params['type']]
        .flat()
        .map((t) => repr(t))
        .join(', ')}`;
    case 'required':
      return `${repr(params['missingProperty'])} is a required property`;
    case 'additionalProperties':
      return unexpected(f, params['additionalProperty']);
    case 'enum':
      return `${value} is not one of ${repr(params['allowedValues'])}`;
    case 'minLength':
    case 'minItems':
      return `${value} is too short`;
    case 'maxLength':
    case 'maxItems':
      return `${value} is too long`;
    case 'minProperties':
      return `${value} does not have enough properties`;
    case 'uniqueItems':
      return `${value} has non-unique elements`;
    case 'minimum':
      return `${value} is less than the minimum of ${repr(params['limit'])}`;
    case 'maximum':
      return `${value} is greater than the maximum of ${repr(params['limit'])}`;
    case 'pattern':
      return `${value} does not match ${repr(pythonic(String(params['pattern'])))}`;
    case 'format':
      return `${value} is not a ${repr(params['format'])}`;
    default:
      return `${value} is not valid under any of the given schemas`;
  }
}

/** All names that the schema has no place for, in order, as upstream tells them. */
function unexpected(f: Fault, name: unknown): string {
  const declared = (key: string): object => (f.parentSchema?.[key] as object | undefined) ?? {};
  const known = new Set(Object.keys(declared('properties')));
  const patterns = Object.keys(declared('patternProperties')).sort();
  const isExtra = (n: string): boolean => !known.has(n) && !patterns.some((p) => new RegExp(p, 'u').test(n));
  const extras = Object.keys(Object(f.data) as object).filter(isExtra);
  const many = extras.length > 1;
  const names = (many ? extras.sort() : [name]).slice(0, MAX_NAMES).map(repr).join(', ');
  if (patterns.length === 0)
    return `Additional properties are not allowed (${names} ${many ? 'were' : 'was'} unexpected)`;
  const regexes = patterns.map((p) => repr(pythonic(p))).join(', ');
  return `${names} ${many ? 'do' : 'does'} not match any of the regexes: ${regexes}`;
}

/** More would only make the answer long. */
const MAX_NAMES = 100;

/** The pattern as it was declared, before its end was widened to Python's. */
const pythonic = (pattern: string): string => pattern.replaceAll('(?=\\n?$)', '$');

const clip = (text: string): string => (text.length <= 1000 ? text : `${text.slice(0, 1000)}…`);

/** A value as Python prints it. */
function repr(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string')
    return value.includes("'") && !value.includes('"') ? `"${value}"` : `'${value.replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([k, v]) => `${repr(k)}: ${repr(v)}`)
      .join(', ')}}`;
  return String(value);
}
