/**
 * Microversions as text, `2.37`. Order is numeric by part: 2.9 comes before 2.10.
 */
export type Version = string;

/** A span of versions, both ends included: `2.37-2.41`, `2.42-`, `-2.36`, `2.32` for one version, `-` for all. */
export type VersionSpan = string;

interface Bounds {
  readonly min: number;
  readonly max: number;
}

const VERSION = /^(\d{1,4})\.(\d{1,4})$/;

const ordinals = new Map<Version, number>();

/** A version as one number that sorts as versions do. Throws on text that is no version: a mistake in a declaration. */
export function ordinal(version: Version): number {
  const known = ordinals.get(version);
  if (known !== undefined) return known;
  const m = VERSION.exec(version);
  if (!m) throw new Error(`'${version}' is not a version like 2.37`);
  const at = Number(m[1]) * 10_000 + Number(m[2]);
  // only declared and negotiated versions come here, and there are some hundreds of those
  if (ordinals.size < 10_000) ordinals.set(version, at);
  return at;
}

/** Negative, zero or positive, as `a` comes before, is, or comes after `b`. */
export const compareVersions = (a: Version, b: Version): number => ordinal(a) - ordinal(b);

const spans = new Map<VersionSpan, Bounds>();

function bounds(span: VersionSpan): Bounds {
  const known = spans.get(span);
  if (known) return known;
  const parts = span.split('-');
  const [from = '', to = parts.length === 1 ? from : ''] = parts;
  const made = { min: from === '' ? 0 : ordinal(from), max: to === '' ? Infinity : ordinal(to) };
  if (parts.length > 2 || made.min > made.max) throw new Error(`'${span}' is not a span of versions like 2.37-2.41`);
  spans.set(span, made);
  return made;
}

/** Whether the version lies in the span. Without a version the newest is meant: only open-ended spans hold it. */
export function inSpan(span: VersionSpan, version?: Version): boolean {
  const { min, max } = bounds(span);
  if (version === undefined) return max === Infinity;
  const at = ordinal(version);
  return min <= at && at <= max;
}

/** The ordinals at which a declaration with these spans may change: first inside and first after each. */
export function edgesOf(all: Iterable<VersionSpan>): number[] {
  const edges = new Set<number>();
  for (const span of all) {
    const { min, max } = bounds(span);
    if (min > 0) edges.add(min);
    if (max !== Infinity) edges.add(max + 1);
  }
  return [...edges].sort((a, b) => a - b);
}
