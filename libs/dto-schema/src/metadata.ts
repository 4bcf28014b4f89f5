import { getMetadataStorage } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';
import type { JsonSchema } from './json-schema';
import { inSpan } from './version';
import type { Version, VersionSpan } from './version';

/**
 * Where declarations live. Rules (what a value must be) are class-validator's own metadata: those of our decorators
 * carry a `Rule` in their context, those of class-validator are translated by `class-validator-rules.ts`. A rule that
 * holds in some versions only is in a class-validator group named after the span. What is not a rule (presence by
 * version, secrecy, closedness, documentation) is kept here beside it.
 */
export type DtoClass<T = object> = new () => T;

/** What schema building offers to a rule that is made of other shapes. */
export interface SchemaContext {
  readonly version?: Version;
  classSchema(cls: DtoClass): JsonSchema;
  propertySchema(cls: DtoClass, property: string): JsonSchema;
}

export interface Rule {
  readonly schema?: (at: SchemaContext) => JsonSchema;
  /** The property may be missing. */
  readonly optional?: true;
  /** The property may be null. */
  readonly nullable?: true;
  /** Classes that the rule is made of. */
  readonly uses?: () => DtoClass[];
}

const RULE = Symbol.for('fractus.dto-schema.rule');
const GROUP = 'versions ';

export const contextOf = (rule: Rule): object => ({ [RULE]: rule });

export const ruleOf = (m: ValidationMetadata): Rule | undefined => (m.context as { [RULE]?: Rule } | undefined)?.[RULE];

/** class-validator's store, by class. Its own look-up visits every class for each question, which a start feels. */
const declaredRules = (): ReadonlyMap<unknown, ValidationMetadata[]> =>
  (getMetadataStorage() as unknown as { validationMetadatas: Map<unknown, ValidationMetadata[]> }).validationMetadatas;

const ownRules = (cls: unknown): readonly ValidationMetadata[] => declaredRules().get(cls) ?? [];

/**
 * Every rule of the class and of those it extends, whatever the version. As class-validator has it, a rule replaces
 * inherited ones of its kind on the same property; a test holds the two look-ups together.
 */
export function rulesOf(cls: DtoClass): ValidationMetadata[] {
  const rules = [...ownRules(cls)];
  const own = new Set(rules.map((r) => `${r.propertyName} ${r.type}`));
  for (let c = parentOf(cls); c; c = parentOf(c))
    rules.push(...ownRules(c).filter((r) => !own.has(`${r.propertyName} ${r.type}`)));
  return rules;
}

const parentOf = (cls: object): object | null => {
  const parent = Object.getPrototypeOf(cls) as object | null;
  return parent === Function.prototype ? null : parent;
};

/** Runs `declare` and binds the rules that it adds to a span of versions. */
export function bindToSpan(cls: DtoClass, span: VersionSpan, declare: () => void): void {
  inSpan(span);
  const before = ownRules(cls).length;
  declare();
  for (const rule of ownRules(cls).slice(before)) {
    if (rule.groups?.length)
      throw new Error(`${cls.name}.${rule.propertyName}: a span of versions inside another, or a validation group`);
    rule.groups = [GROUP + span];
  }
}

/** The span that a rule is bound to; undefined when it holds in every version. */
export function spanOf(m: ValidationMetadata): VersionSpan | undefined {
  const group = m.groups?.[0];
  if (group === undefined) return undefined;
  if (!group.startsWith(GROUP))
    throw new Error(`${m.propertyName}: validation group '${group}' is not supported; use InVersions`);
  return group.slice(GROUP.length);
}

/** Names of the class-validator groups that hold in a version. Never empty: an empty list means "all" to class-validator. */
export function groupsAt(cls: DtoClass, version?: Version): string[] {
  const spans = new Set(rulesOf(cls).map(spanOf));
  return ['-', ...[...spans].filter((s): s is string => s !== undefined && inSpan(s, version)).map((s) => GROUP + s)];
}

interface PropertyFacts {
  /** The property exists where, for each set, at least one span holds. */
  presence: VersionSpan[][];
  secret?: true;
  /** Known, yet not required though it has no rule that says optional. */
  optional?: true;
}

/** How many members an object may have. */
export interface MemberCount {
  readonly min?: number;
  readonly max?: number;
}

interface ClassFacts {
  count?: MemberCount;
  /** Spans of versions in which unknown members are refused; empty: never. */
  closed?: readonly VersionSpan[];
  properties: Map<string, PropertyFacts>;
  patterns: Map<string, DtoClass>;
}

const facts = new WeakMap<object, ClassFacts>();

function ownFacts(cls: object): ClassFacts {
  const known = facts.get(cls);
  if (known) return known;
  const made: ClassFacts = { properties: new Map(), patterns: new Map() };
  facts.set(cls, made);
  return made;
}

/** The class and its ancestors that carry facts, nearest first. */
function lineage(cls: DtoClass): ClassFacts[] {
  const found: ClassFacts[] = [];
  for (let c: object | null = cls; c && c !== Function.prototype; c = Object.getPrototypeOf(c) as object | null) {
    const f = facts.get(c);
    if (f) found.push(f);
  }
  return found;
}

export function notePresence(cls: object, property: string, spans: VersionSpan[]): void {
  spans.forEach((s) => inSpan(s));
  noteProperty(cls, property, {});
  ownFacts(cls).properties.get(property)?.presence.push(spans);
}

export function noteProperty(cls: object, property: string, add: Partial<PropertyFacts>): void {
  const { properties } = ownFacts(cls);
  properties.set(property, { presence: [], ...properties.get(property), ...add });
}

export function noteClosed(cls: object, spans: readonly VersionSpan[]): void {
  spans.forEach((s) => inSpan(s));
  ownFacts(cls).closed = spans;
}

export function noteCount(cls: object, count: MemberCount): void {
  ownFacts(cls).count = count;
}

export function notePattern(cls: object, pattern: string, value: DtoClass): void {
  ownFacts(cls).patterns.set(pattern, value);
}

/** Open unless said otherwise; the nearest class of the lineage that says so decides. */
export const isClosed = (cls: DtoClass, version?: Version): boolean =>
  closedSpans(cls).some((span) => inSpan(span, version));

const closedSpans = (cls: DtoClass): readonly VersionSpan[] =>
  lineage(cls).find((f) => f.closed !== undefined)?.closed ?? [];

export const countOf = (cls: DtoClass): MemberCount => lineage(cls).find((f) => f.count)?.count ?? {};

export const patternsOf = (cls: DtoClass): Map<string, DtoClass> =>
  new Map(
    lineage(cls)
      .reverse()
      .flatMap((f) => [...f.patterns]),
  );

export const propertyFacts = (cls: DtoClass, property: string): PropertyFacts =>
  lineage(cls)
    .map((f) => f.properties.get(property))
    .find((f) => f !== undefined) ?? { presence: [] };

/** Names of all properties that any version knows. */
export function propertiesOf(cls: DtoClass): string[] {
  return [
    ...new Set([...rulesOf(cls).map((m) => m.propertyName), ...lineage(cls).flatMap((f) => [...f.properties.keys()])]),
  ];
}

export const isPresent = (cls: DtoClass, property: string, version?: Version): boolean =>
  propertyFacts(cls, property).presence.every((spans) => spans.some((s) => inSpan(s, version)));

/** Rules of one property that hold in a version. */
export const rulesAt = (cls: DtoClass, property: string, version?: Version): ValidationMetadata[] =>
  rulesOf(cls).filter((m) => {
    if (m.propertyName !== property) return false;
    const span = spanOf(m);
    return span === undefined || inSpan(span, version);
  });

/** Every span of versions that the class and the classes it uses mention. */
export function spansOf(cls: DtoClass, seen = new Set<DtoClass>()): Set<VersionSpan> {
  const spans = new Set<VersionSpan>();
  if (seen.has(cls)) return spans;
  seen.add(cls);
  closedSpans(cls).forEach((s) => spans.add(s));
  for (const m of rulesOf(cls)) {
    const span = spanOf(m);
    if (span !== undefined) spans.add(span);
    for (const used of ruleOf(m)?.uses?.() ?? []) spansOf(used, seen).forEach((s) => spans.add(s));
  }
  for (const used of patternsOf(cls).values()) spansOf(used, seen).forEach((s) => spans.add(s));
  for (const p of propertiesOf(cls))
    propertyFacts(cls, p)
      .presence.flat()
      .forEach((s) => spans.add(s));
  return spans;
}
