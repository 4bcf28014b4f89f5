import { validateSync } from 'class-validator';
import { countOf, groupsAt, isClosed, isPresent, patternsOf, propertiesOf } from './metadata';
import type { DtoClass } from './metadata';
import type { Version } from './version';

/**
 * The same declarations read by class-validator instead of a compiled schema. Slow and complete: it exists to hold the
 * compiler honest (the two must agree on every value) and for callers that want every fault of a value at once.
 */
let current: Version | undefined;

export function underVersion<R>(version: Version | undefined, run: () => R): R {
  const outer = current;
  current = version;
  try {
    return run();
  } finally {
    current = outer;
  }
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Faults of `value` as an instance of the class in the version under way; `path: rule` each. */
export function faultsNow(cls: DtoClass, value: unknown): string[] {
  if (!isPlainObject(value)) return ['not an object'];
  const known = propertiesOf(cls).filter((p) => isPresent(cls, p, current));
  const patterns = [...patternsOf(cls)].map(([key, shape]) => [new RegExp(key), shape] as const);
  const faults: string[] = [];
  const { min = 0, max = Infinity } = countOf(cls);
  const count = Object.keys(value).length;
  if (count < min || count > max) faults.push(`${count} members`);
  for (const [key, member] of Object.entries(value)) {
    const matching = patterns.filter(([pattern]) => pattern.test(key));
    for (const [, shape] of matching) faults.push(...faultsNow(shape, { value: member }).map((f) => `${key}: ${f}`));
    if (matching.length === 0 && isClosed(cls, current) && !known.includes(key)) faults.push(`${key}: unknown`);
  }
  const instance = Object.assign(Object.create(cls.prototype as object) as object, value);
  const errors = validateSync(instance, { always: true, groups: groupsAt(cls, current), forbidUnknownValues: false });
  for (const e of errors)
    if (known.includes(e.property)) faults.push(`${e.property}: ${Object.values(e.constraints ?? {}).join('; ')}`);
  return faults;
}

/** Every fault that class-validator finds; empty when the value is good. */
export const classValidatorFaults = (cls: DtoClass, value: unknown, version?: Version): string[] =>
  underVersion(version, () => faultsNow(cls, value));
