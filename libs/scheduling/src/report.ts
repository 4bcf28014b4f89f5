/**
 * What an attempt to schedule did, stage by stage, as data: request filters, Placement's checks, filters, weighers,
 * claims. Counts are exact; reasons of single hosts and claims are capped. The report is stored as JSON, so its shape
 * only grows.
 */
import type { Reason } from './types';
import type { WeightPart } from './weigh';

/** Reasons of single hosts kept in one report. */
export const MAX_HOST_REASONS = 200;
export const MAX_CLAIMS = 50;
export const MAX_WEIGHED = 5;

export type Stage = RequestStage | PlacementStage | CandidateStage | FilterStage | WeigherStage | ClaimStage;

/** A request filter (or the reading of the flavor) that had something to say. */
export interface RequestStage {
  readonly stage: 'request_filter';
  readonly name: string;
  /** What it asks of Placement, as one would write the query: `!COMPUTE_STATUS_DISABLED`, `member_of in:…`. */
  readonly constraints: readonly string[];
  /** Set when it refuses the request as a whole. */
  readonly reason?: Reason;
}

export interface PlacementStage {
  readonly stage: 'placement';
  readonly group: string;
  readonly check: string;
  readonly detail: string;
  readonly in: number;
  readonly out: number;
  readonly best?: { readonly free: number; readonly maxUnit: number };
}

/** What came back from Placement. */
export interface CandidateStage {
  readonly stage: 'candidates';
  /** Hosts known to the scheduler, and those of them with a candidate. */
  readonly in: number;
  readonly out: number;
  readonly candidates: number;
  /** The answer was cut at the limit: more hosts may have candidates. */
  readonly limited?: true;
  /** Trees with candidates that the scheduler knows no host of: compute nodes registered a moment ago, or none at all. */
  readonly unknownRoots: number;
}

export interface FilterStage {
  readonly stage: 'filter';
  readonly name: string;
  readonly in: number;
  readonly out: number;
  /** Code → hosts rejected with it. */
  readonly reasons: Readonly<Record<string, number>>;
}

/** A weigher that told hosts apart. */
export interface WeigherStage {
  readonly stage: 'weigher';
  readonly name: string;
  readonly what: string;
  readonly in: number;
}

export interface ClaimStage {
  readonly stage: 'claim';
  /** Hosts that could be claimed on. */
  readonly in: number;
  /** Hosts tried, and candidates tried over all of them. */
  readonly hosts: number;
  readonly tries: number;
  readonly out: 0 | 1;
  /** Code → failed tries. */
  readonly reasons: Readonly<Record<string, number>>;
}

/** Why one host did not take the server. */
export interface HostReason extends Reason {
  readonly host: string;
  readonly stage: 'placement' | 'filter' | 'weigher' | 'claim' | 'build';
  /** Name of the filter or check. */
  readonly by: string;
}

export interface WeighedReport {
  readonly host: string;
  readonly weight: number;
  readonly parts: readonly WeightPart[];
  /** Why it comes after the first; absent for the first. */
  readonly reason?: Reason;
}

/**
 * - `no_valid_host`: nothing passed all checks
 * - `target_unfit`: the same, where the request names a host or hypervisor
 * - `group_violated`: what was left before them, the filters of the server group removed
 * - `claims_exhausted`: what passed was taken meanwhile
 * - `retries_exhausted`: hosts were chosen one after another, and each failed to build it; the hosts' reasons say how
 */
export const OUTCOMES = [
  'selected',
  'no_valid_host',
  'claims_exhausted',
  'group_violated',
  'target_unfit',
  'retries_exhausted',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface ScheduleReport {
  readonly outcome: Outcome;
  /** Hosts known to the scheduler. */
  readonly hostCount: number;
  /** One line for people, safe for the server's owner: no host is named. */
  readonly summary: string;
  readonly stages: readonly Stage[];
  readonly hosts: readonly HostReason[];
  /** Reasons left out because of the cap. */
  readonly hostsOmitted: number;
  /** The best hosts, best first. */
  readonly weighed: readonly WeighedReport[];
  readonly chosen?: string;
}

/** What the owner of a server may see: counts, never hosts or aggregates. */
export interface UserReport {
  readonly outcome: Outcome;
  readonly hostCount: number;
  readonly summary: string;
  readonly stages: readonly Stage[];
}

/** Checks whose detail names aggregates or hosts. */
const INTERNAL_CHECKS: ReadonlySet<string> = new Set(['member_of', 'not_member_of', 'in_tree']);

/** Claim codes are the protocol's, so they stay; sentences and values of refused requests are about the request alone. */
export function userView(report: ScheduleReport): UserReport {
  const stages = report.stages.map((stage): Stage => {
    if (stage.stage === 'placement' && INTERNAL_CHECKS.has(stage.check)) return { ...stage, detail: '' };
    if (stage.stage === 'request_filter') return { ...stage, constraints: stage.constraints.map(hideIds) };
    return stage;
  });
  const { outcome, hostCount, summary } = report;
  return { outcome, hostCount, summary, stages };
}

const hideIds = (constraint: string): string => constraint.replace(/^(!?member_of|in_tree)\b.*$/, '$1 …');

/** Collects a report while the attempt runs. */
export class ReportBuilder {
  private readonly stages: Stage[] = [];
  private readonly hosts: HostReason[] = [];
  private omitted = 0;
  private weighed: readonly WeighedReport[] = [];

  constructor(readonly hostCount: number) {}

  stage(stage: Stage): void {
    this.stages.push(stage);
  }

  /** Checks of Placement that were counted afterwards; they stand where Placement was asked. */
  counted(stages: readonly PlacementStage[]): void {
    const at = this.stages.findIndex((s) => s.stage === 'candidates');
    this.stages.splice(at < 0 ? this.stages.length : at, 0, ...stages);
  }

  host(make: () => HostReason): void {
    if (this.hosts.length < MAX_HOST_REASONS) this.hosts.push(make());
    else this.omitted++;
  }

  /** Hosts that are known to have a reason that nobody has told. */
  omit(count: number): void {
    this.omitted += count;
  }

  get soFar(): readonly Stage[] {
    return this.stages;
  }

  ranked(weighed: readonly WeighedReport[]): void {
    this.weighed = weighed;
  }

  finish(
    outcome: Outcome,
    summarise: (report: Omit<ScheduleReport, 'summary'>) => string,
    chosen?: string,
  ): ScheduleReport {
    const { hostCount, stages, hosts, omitted: hostsOmitted, weighed } = this;
    const report = {
      outcome,
      hostCount,
      stages,
      hosts,
      hostsOmitted,
      weighed,
      ...(chosen !== undefined && { chosen }),
    };
    return { ...report, summary: summarise(report) };
  }
}
