import type { ScheduleAttempt } from '@fractus/compute-db';
import { isoTimeMicros } from '@fractus/http';
import { type ScheduleReport, userView } from '@fractus/scheduling';
import type { DryRunResult } from '../../app/schedule-info/dry-run';

/** One attempt. `hosts`: whether hosts and aggregates may be named. */
export function attemptView(attempt: ScheduleAttempt, hosts: boolean): Record<string, unknown> {
  const report = attempt.report as ScheduleReport;
  return {
    id: attempt.attemptId,
    request_id: attempt.requestId,
    operation: attempt.operation,
    outcome: attempt.outcome,
    at: isoTimeMicros(attempt.startedAt),
    duration_ms: attempt.durationMs,
    summary: attempt.summary,
    host_count: report.hostCount,
    stages: stagesOf(report, hosts),
    ...(hosts
      ? {
          chosen: report.chosen ?? null,
          weighed: report.weighed,
          hosts: report.hosts,
          hosts_omitted: report.hostsOmitted,
        }
      : {}),
  };
}

export function dryRunView(result: DryRunResult, hosts: boolean): Record<string, unknown> {
  const { operation, outcome, fitting, report, wouldFitIf, truncated } = result;
  return {
    operation,
    outcome,
    fits: outcome === 'selected',
    summary: summaryOf(result),
    host_count: report.hostCount,
    fitting,
    stages: stagesOf(report, hosts),
    would_fit_if: wouldFitIf
      .filter((r) => hosts || !r.operatorsOnly)
      .map(({ relax, detail, sentence, hosts: count }) => ({ relax, detail, sentence, hosts: count })),
    truncated,
    ...(hosts ? { destinations: report.weighed, hosts: report.hosts, hosts_omitted: report.hostsOmitted } : {}),
  };
}

/** A report of a success says that one was chosen; here none was. */
function summaryOf({ outcome, fitting, report }: DryRunResult): string {
  if (outcome !== 'selected') return report.summary;
  const n = report.hostCount;
  return `${fitting} of ${n} ${n === 1 ? 'host' : 'hosts'} would take it`;
}

const stagesOf = (report: ScheduleReport, hosts: boolean): ScheduleReport['stages'] =>
  hosts ? report.stages : userView(report).stages;
