/**
 * Whether a changed contract still works beside the old one. During an upgrade old and new processes talk to each
 * other both ways, so for a message of either direction:
 *
 * - what was valid stays valid: nothing tightened, no new required member (a new receiver reads an old sender);
 * - what was required stays required (an old receiver reads a new sender);
 * - nothing disappears: an old process may still use it.
 *
 * Loosening a value (a new enum member, a wider range) passes: send the new values once every receiver knows them.
 */
import type { JsonSchema } from '@fractus/dto-schema';
import type { Shape } from './shape';

type Schema = JsonSchema & Record<string, unknown>;

/** One sentence per broken promise; none when the change is an addition. */
export function breakingChanges(before: Record<string, Shape>, after: Record<string, Shape>): string[] {
  return Object.entries(before).flatMap(([method, old]) => {
    const now = after[method];
    if (!now) return [`${method} was removed`];
    const out: string[] = [];
    if (now.kind !== old.kind) out.push(`${method} was a ${old.kind} and is a ${now.kind}`);
    if (now.routing !== old.routing) out.push(`${method} was routed by ${old.routing} and is by ${now.routing}`);
    out.push(...schemaBreaks(old.request as Schema, now.request as Schema, `${method} request`));
    if (old.response && now.response) {
      out.push(...schemaBreaks(old.response as Schema, now.response as Schema, `${method} response`));
    }
    return out;
  });
}

const COMPARED = new Set(['properties', 'required', 'items', 'additionalProperties', '$defs', 'type', 'enum']);
/** Keywords that loosen by growing (+1) or shrinking (-1). */
const BOUNDS: Record<string, 1 | -1> = {
  maximum: 1,
  exclusiveMaximum: 1,
  maxLength: 1,
  maxItems: 1,
  maxProperties: 1,
  minimum: -1,
  exclusiveMinimum: -1,
  minLength: -1,
  minItems: -1,
  minProperties: -1,
};

function schemaBreaks(before: Schema, after: Schema, path: string): string[] {
  if (same(before, after)) return [];
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)]);
  const others = [...keywords].filter((k) => !COMPARED.has(k)).filter((k) => tightened(k, before[k], after[k]));
  return [
    ...membersBreak(before, after, path),
    ...subset('type', before, after, path),
    ...subset('enum', before, after, path),
    ...nested(before.items, after.items, `${path}[]`),
    ...nested(before.additionalProperties, after.additionalProperties, `${path}{}`),
    ...eachNested(before.$defs, after.$defs, path),
    ...others.map((k) => `${path}: ${k} was ${show(before[k])} and is ${show(after[k])}`),
  ];
}

function membersBreak(before: Schema, after: Schema, path: string): string[] {
  const was = new Set((before.required as string[] | undefined) ?? []);
  const is = new Set((after.required as string[] | undefined) ?? []);
  const known = Object.keys((before.properties as object | undefined) ?? {});
  const out = [...is]
    .filter((m) => !was.has(m))
    .map((m) => `${path}.${m} is required, which older senders do not know`);
  for (const m of was) {
    if (!is.has(m)) out.push(`${path}.${m} is no longer required, but older receivers refuse its absence`);
  }
  const now = (after.properties as object | undefined) ?? {};
  out.push(...known.filter((m) => !(m in now)).map((m) => `${path}.${m} was removed`));
  return [...out, ...eachNested(before.properties, after.properties, path)];
}

function eachNested(before: unknown, after: unknown, path: string): string[] {
  const a = (before ?? {}) as Record<string, unknown>;
  const b = (after ?? {}) as Record<string, unknown>;
  return Object.keys(a).flatMap((k) => (k in b ? nested(a[k], b[k], `${path}.${k}`) : []));
}

function nested(before: unknown, after: unknown, path: string): string[] {
  if (same(before, after)) return [];
  if (isSchema(before) && isSchema(after)) return schemaBreaks(before, after, path);
  return [`${path} was ${show(before)} and is ${show(after)}`];
}

function subset(keyword: 'type' | 'enum', before: Schema, after: Schema, path: string): string[] {
  if (after[keyword] === undefined) return [];
  const allowed = [after[keyword]].flat();
  const lost = [before[keyword] ?? 'anything'].flat().filter((v) => !allowed.some((w) => same(v, w)));
  return lost.map((v) => `${path} no longer takes the ${keyword === 'type' ? 'type' : 'value'} ${show(v)}`);
}

function tightened(keyword: string, before: unknown, after: unknown): boolean {
  if (same(before, after) || after === undefined) return false;
  const direction = BOUNDS[keyword];
  if (direction === undefined || typeof before !== 'number' || typeof after !== 'number') return true;
  return (after - before) * direction < 0;
}

const isSchema = (v: unknown): v is Schema => typeof v === 'object' && v !== null && !Array.isArray(v);
const show = (v: unknown): string => (v === undefined ? 'absent' : JSON.stringify(v));
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
