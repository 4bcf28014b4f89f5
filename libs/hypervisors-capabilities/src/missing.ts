/**
 * What was asked for lately and a host had not: read from reports of attempts that failed. A report may be of any age of
 * the program, so what it says is taken as far as it is understood, and the rest is passed over.
 */
import type { Room } from './room';

/** A failed attempt, as it is stored. */
export interface FailedAttempt {
  readonly report: unknown;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/** The host as it is now. */
export interface HostNow {
  readonly host: string;
  /** Null where Placement is silent: then only what reports say of the host itself counts. */
  readonly traits: ReadonlySet<string> | null;
  readonly rooms: Readonly<Record<string, Room>> | null;
}

export interface Missing {
  /** `trait.missing`, `resource.missing`, or the code under which a check refused the host. */
  readonly code: string;
  readonly trait?: string;
  readonly resourceClass?: string;
  readonly have?: unknown;
  readonly need?: unknown;
  /** Attempts. */
  count: number;
  /** Of the newest of them, epoch milliseconds. */
  readonly lastAt: number;
}

/**
 * Counts per attempt, most wanted first. What a check said of this host comes from the attempt; it is the first that it
 * failed. What Placement's checks asked for beside that is held against what the host has now.
 */
export function missingLately(attempts: readonly FailedAttempt[], now: HostNow): Missing[] {
  const found = new Map<string, Missing>();
  for (const { report, startedAt } of attempts) {
    const lacks = [...reasonsOfHost(report, now.host), ...lacksByStage(report, now)];
    for (const [key, lack] of new Map(lacks.map((l) => [keyOf(l), l]))) {
      const known = found.get(key);
      if (known) known.count++;
      else found.set(key, { ...lack, count: 1, lastAt: startedAt });
    }
  }
  return [...found.entries()].sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1)).map(([, m]) => m);
}

type Lack = Omit<Missing, 'count' | 'lastAt'>;

const keyOf = ({ code, trait, resourceClass, need }: Lack): string =>
  JSON.stringify([code, trait ?? null, resourceClass ?? null, need ?? null]);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const listIn = (report: unknown, name: string): Record<string, unknown>[] => {
  const list = isObject(report) ? report[name] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
};

/** Weighers refuse nobody. */
function reasonsOfHost(report: unknown, host: string): Lack[] {
  return listIn(report, 'hosts')
    .filter((r) => r['host'] === host && r['stage'] !== 'weigher' && typeof r['code'] === 'string')
    .map(({ stage, by, code, have = null, need = null }) => {
      const [check, detail = ''] = stage === 'placement' && typeof by === 'string' ? by.split(' ') : [];
      const [, resourceClass] = RESOURCE.exec(detail) ?? [];
      if (TRAIT_CHECKS.has(check)) return { code: 'trait.missing', trait: detail, have: null, need: detail };
      if (check === 'resource' && resourceClass) return { code: 'resource.missing', resourceClass, have, need };
      return { code: code as string, have, need };
    });
}

const RESOURCE = /^([A-Z][A-Z0-9_]*):(\d+)$/;
const TRAIT_CHECKS: ReadonlySet<unknown> = new Set(['required', 'root_required']);

function lacksByStage(report: unknown, now: HostNow): Lack[] {
  return listIn(report, 'stages')
    .filter((s) => s['stage'] === 'placement' && typeof s['detail'] === 'string')
    .flatMap(({ check, detail }) => {
      if (TRAIT_CHECKS.has(check)) return lackedTraits(detail as string, now);
      return check === 'resource' ? lackedResource(detail as string, now) : [];
    });
}

function lackedTraits(detail: string, { traits }: HostNow): Lack[] {
  if (!traits) return [];
  const asked = detail.split(/[\s,]+/).filter((t) => /^[A-Z][A-Z0-9_]*$/.test(t));
  return asked
    .filter((t) => !traits.has(t))
    .map((trait) => ({ code: 'trait.missing', trait, need: trait, have: null }));
}

function lackedResource(detail: string, { rooms }: HostNow): Lack[] {
  const [, resourceClass = '', amount] = RESOURCE.exec(detail) ?? [];
  if (!rooms || amount === undefined) return [];
  const room = rooms[resourceClass];
  const need = Number(amount);
  const have = room ? Math.max(0, Math.min(room.free, room.maxUnit)) : null;
  return have !== null && need <= have ? [] : [{ code: 'resource.missing', resourceClass, have, need }];
}
