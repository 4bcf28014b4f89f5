import type { ErrorObject } from 'ajv/dist/2020';
import { FORMATS } from './formats';

/** Where a value came from; it names the thing in the message. */
export type Source = 'body' | 'query';

/** A broken rule, as data. */
export interface Violation {
  /** From the root: `server.networks[0].uuid`; empty for the root itself. */
  readonly path: string;
  /** The keyword that failed: `required`, `maxLength`, `format`, … */
  readonly rule: string;
  readonly message: string;
}

const VALUE_LIMIT = 200;
const MESSAGE_LIMIT = 1000;

const clip = (text: string, limit: number): string => (text.length <= limit ? text : `${text.slice(0, limit)}…`);

/** A value as a message may show it: scalars as they are, objects by their keys only, never long, never a secret. */
export function show(value: unknown, secret = false): string {
  if (secret) return '***';
  if (Array.isArray(value))
    return value.every((v) => typeof v !== 'object')
      ? clip(JSON.stringify(value), VALUE_LIMIT)
      : `[${value.length} items]`;
  if (typeof value === 'object' && value !== null) return clip(`{${Object.keys(value).join(', ')}}`, VALUE_LIMIT);
  return clip(String(value), VALUE_LIMIT);
}

const quote = (value: unknown, secret: boolean): string =>
  secret ? 'the value' : typeof value === 'string' ? `'${show(value)}'` : show(value);

type Reason = (v: string, params: Record<string, unknown>, e: ErrorObject) => string;

const list = (values: unknown): string =>
  clip((values as unknown[]).map((x) => (typeof x === 'string' ? `'${x}'` : String(x))).join(', '), VALUE_LIMIT);

const REASONS: Record<string, Reason> = {
  type: (v, p) =>
    `${v} is not of type ${[p.type]
      .flat()
      .map((t) => `'${String(t)}'`)
      .join(', ')}`,
  required: (_, p) => `'${String(p.missingProperty)}' is a required property`,
  additionalProperties: (_, p) =>
    `Additional properties are not allowed ('${clip(String(p.additionalProperty), VALUE_LIMIT)}' was unexpected)`,
  enum: (v, p) => `${v} is not one of [${list(p.allowedValues)}]`,
  const: (v, p) => `${v} is not ${show(p.allowedValue)}`,
  minLength: (v, p) => `${v} is too short: at least ${String(p.limit)} characters are needed`,
  maxLength: (v, p) => `${v} is too long: at most ${String(p.limit)} characters are allowed`,
  minItems: (v, p) => `${v} is too short: at least ${String(p.limit)} items are needed`,
  maxItems: (v, p) => `${v} is too long: at most ${String(p.limit)} items are allowed`,
  minProperties: (v, p) => `${v} does not have enough properties: at least ${String(p.limit)} are needed`,
  maxProperties: (v, p) => `${v} has too many properties: at most ${String(p.limit)} are allowed`,
  uniqueItems: (v) => `${v} has non-unique elements`,
  minimum: (v, p) => `${v} is less than the minimum of ${String(p.limit)}`,
  maximum: (v, p) => `${v} is greater than the maximum of ${String(p.limit)}`,
  exclusiveMinimum: (v, p) => `${v} is not greater than ${String(p.limit)}`,
  exclusiveMaximum: (v, p) => `${v} is not less than ${String(p.limit)}`,
  pattern: (v, p) => `${v} does not match '${clip(String(p.pattern).replaceAll('(?=\\n?$)', '$'), VALUE_LIMIT)}'`,
  oneOf: (v, p) =>
    `${v} is ${Array.isArray(p.passingSchemas) ? 'valid under more than one' : 'not valid under any'} of the given schemas`,
  anyOf: (v) => `${v} is not valid under any of the given schemas`,
  not: (v) => `${v} is not allowed`,
  'x-class-validator': (v, _, e) => `${v} breaks the rule ${String(e.schema).split('#')[0]}`,
};

function reasonOf(e: ErrorObject, secret: boolean): string {
  const value = quote(e.data, secret);
  if (e.keyword === 'x-numeric-string') {
    const { minimum, maximum } = e.schema as { minimum?: number; maximum?: number };
    const low = minimum !== undefined && Number(e.data) < minimum;
    return low
      ? `${value} is less than the minimum of ${minimum}`
      : `${value} is greater than the maximum of ${maximum}`;
  }
  if (e.keyword === 'format') {
    const name = String((e.params as { format: string }).format);
    const format = name in FORMATS ? FORMATS[name as keyof typeof FORMATS] : undefined;
    return `${value} is not a '${name}'${format ? `: it must be ${format.reason}` : ''}`;
  }
  return (
    REASONS[e.keyword]?.(value, e.params as Record<string, unknown>, e) ?? `${value} breaks the rule '${e.keyword}'`
  );
}

const unescape = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

function pathOf(pointer: string): { path: string; field: string; first: string } {
  const parts = pointer.split('/').slice(1).map(unescape);
  let path = '';
  let field = '';
  for (const part of parts) {
    const index = /^\d+$/.test(part);
    path += index ? `[${part}]` : path === '' ? part : `.${part}`;
    field = index && field !== '' ? `${field}[${part}]` : part;
  }
  return { path: clip(path, VALUE_LIMIT), field: clip(field, VALUE_LIMIT), first: clip(parts[0] ?? '', VALUE_LIMIT) };
}

/**
 * ajv lists the failures inside a choice before the choice's own: the outermost tells the reader what was wrong. Only
 * "this or null" is no choice to a reader: there the failure of "this" counts.
 */
function deciding(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const last = errors.at(-1);
  const branches = last?.keyword === 'anyOf' ? (last.schema as { type?: unknown }[]) : [];
  return branches.length === 2 && branches[0]?.type === 'null' ? (errors.at(-2) ?? last) : last;
}

/** The violation that a failed run of ajv amounts to, in Nova's words and bounded in length. */
export function violationOf(errors: readonly ErrorObject[], source: Source): Violation {
  const e = deciding(errors);
  if (!e) return { path: '', rule: 'unknown', message: 'The value is not valid.' };
  const secret = (e.parentSchema as Record<string, unknown> | undefined)?.['x-secret'] === true;
  const { path, field, first } = pathOf(e.instancePath);
  const reason = reasonOf(e, secret);
  const said = `Value: ${show(e.data, secret)}. ${reason}`;
  const place = path === field || path === '' ? '' : ` (at ${path})`;
  const message =
    path === ''
      ? reason
      : source === 'query'
        ? `Invalid input for query parameters ${first}. ${said}`
        : `Invalid input for field/attribute ${field}. ${said}${place}`;
  return { path, rule: e.keyword, message: clip(message, MESSAGE_LIMIT) };
}
