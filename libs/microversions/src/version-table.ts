import { compareVersions, ordinal } from '@fractus/dto-schema';
import type { DtoClass, Version } from '@fractus/dto-schema';
import type { View, VersionChange } from './changes';
import type { ApiVersions } from './negotiate';

/** Named behaviours of the version that a request asked for. */
export type Flags<Flag extends string = string> = Readonly<Record<Flag, boolean>>;

type Step = (view: View) => View;

/** Undefined is not written out. A copy without the fields costs far more, and so does an object with some deleted. */
function without(fields: ReadonlySet<string>): Step {
  const gone = [...fields];
  return (view) => {
    for (const field of gone) if (view[field] !== undefined) view[field] = undefined;
    return view;
  };
}

type Piece = { drop: readonly string[] } | { run: Step };

/** One function out of many steps; drops that follow each other become one. Undefined when nothing changes. */
function compose(pieces: readonly Piece[]): Step | undefined {
  const steps: Step[] = [];
  let drop = new Set<string>();
  const flush = (): void => {
    if (drop.size > 0) steps.push(without(drop));
    drop = new Set();
  };
  for (const piece of pieces) {
    if ('drop' in piece) piece.drop.forEach((f) => drop.add(f));
    else {
      flush();
      steps.push(piece.run);
    }
  }
  flush();
  const [only] = steps;
  if (steps.length < 2) return only;
  return (view) => steps.reduce((v, step) => step(v), view);
}

/** All changes of one API, ready to be asked. Everything it hands out is composed once per version. */
export class VersionTable<Flag extends string = string> {
  private readonly newestFirst: readonly VersionChange<Flag>[];
  private readonly flagsByVersion = new Map<Version, Flags<Flag>>();
  private readonly views = new Map<string, Step | undefined>();

  constructor(
    readonly api: ApiVersions,
    readonly changes: readonly VersionChange<Flag>[],
  ) {
    this.newestFirst = [...changes].reverse();
  }

  /** Whether something is said to change with this version. */
  declares(version: Version): boolean {
    return this.changes.some((c) => c.version === version);
  }

  flags(version: Version): Flags<Flag> {
    const known = this.flagsByVersion.get(version);
    if (known) return known;
    const flags = {} as Record<Flag, boolean>;
    for (const { turnsOff } of this.changes) for (const f of turnsOff ?? []) flags[f] = true;
    for (const { turnsOn } of this.changes) for (const f of turnsOn ?? []) flags[f] = false;
    for (const c of this.changes) {
      if (compareVersions(c.version, version) > 0) continue;
      for (const f of c.turnsOn ?? []) flags[f] = true;
      for (const f of c.turnsOff ?? []) flags[f] = false;
    }
    this.flagsByVersion.set(version, Object.freeze(flags));
    return flags;
  }

  /** Turns the newest form of a view into the version's. Undefined when they are the same. */
  view(name: string, version: Version): Step | undefined {
    const key = `${version} ${name}`;
    if (this.views.has(key)) return this.views.get(key);
    const down: Piece[] = [];
    const gone: Piece[] = [];
    for (const { version: at, responses } of this.newestFirst) {
      const later = compareVersions(at, version) > 0;
      for (const change of responses ?? []) {
        if (change.view !== name) continue;
        if (change.kind === 'removed') {
          if (!later) gone.push({ drop: change.fields });
        } else if (later) {
          down.push(change.kind === 'added' ? { drop: change.fields } : { run: change.down });
        }
      }
    }
    const step = compose([...down, ...gone]);
    this.views.set(key, step);
    return step;
  }

  /** Reads a body of the version as the newest. Undefined when they are the same. */
  lift(dto: DtoClass, version: Version): ((body: object) => object) | undefined {
    const ups = this.changes
      .filter((c) => compareVersions(c.version, version) > 0)
      .flatMap((c) => c.requests ?? [])
      .filter((r) => r.dto === dto)
      .map((r) => r.up as (body: object) => object);
    return ups.length === 0 ? undefined : (body) => ups.reduce((b, up) => up(b), body);
  }

  viewNames(): Set<string> {
    return new Set(this.changes.flatMap((c) => (c.responses ?? []).map((r) => r.view)));
  }
}

/**
 * The ordered list of an API's version changes. Throws at start when the list is out of order, repeats a version,
 * leaves the API's range, or gives a flag two meanings.
 */
export function defineVersions<Flag extends string>(
  api: ApiVersions,
  changes: readonly VersionChange<Flag>[],
): VersionTable<Flag> {
  const seen = new Map<string, string>();
  let last = 0;
  for (const { version, turnsOn = [], turnsOff = [] } of changes) {
    const at = ordinal(version);
    if (at <= last) throw new Error(`microversion ${version} is out of order`);
    if (at < ordinal(api.min) || at > ordinal(api.max))
      throw new Error(`microversion ${version} is outside ${api.min}-${api.max}`);
    last = at;
    for (const flag of [...turnsOn, ...turnsOff]) {
      const use = `${turnsOn.includes(flag) ? 'on' : 'off'} at ${version}`;
      if (seen.get(flag)?.startsWith(use.slice(0, 3)))
        throw new Error(`flag ${flag} turns ${use} though it already is (${seen.get(flag) ?? ''})`);
      seen.set(flag, use);
    }
  }
  return new VersionTable(api, changes);
}
