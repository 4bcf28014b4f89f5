import { randomUUID } from 'node:crypto';
import type { ScheduleAttemptsRepository } from '@fractus/compute-db';
import type { RequestContext } from '@fractus/objects';
import type { SelectDestinations, Selection } from '@fractus/rpc-contracts';
import type { Outcome } from '@fractus/scheduling';
import { type Logger, requestLogger } from '@fractus/telemetry';
import { Attempt } from './attempt';
import type { SchedulerMetrics } from './scheduler-metrics';
import type { SearchDeps } from './search';

export interface SelectorDeps extends SearchDeps {
  /** Left out: nothing is recorded. */
  readonly attempts?: ScheduleAttemptsRepository;
  readonly logger: Logger;
  readonly metrics: SchedulerMetrics;
}

/** Finds hosts for servers and keeps the record of every attempt. */
export class DestinationSelector {
  constructor(private readonly deps: SelectorDeps) {}

  /**
   * A host for the server, claimed; or a typed outcome that says why there is none. May be called again for the same
   * task: what an earlier call has claimed is kept or replaced. Rejects as Placement or the database does, and with
   * `conflict` code `claim.stale_fence` when the task's lease was lost.
   */
  async select(ctx: RequestContext, request: SelectDestinations): Promise<Selection> {
    const startedAt = Date.now();
    const { report, destination, alternates } = await new Attempt(this.deps, ctx, request).run();
    const durationMs = Date.now() - startedAt;
    const { serverId, taskId, operation } = request;
    const { outcome, summary } = report;
    const attemptId = randomUUID();
    const requestId = ctx.requestId;
    const { attempts, metrics, logger } = this.deps;
    await attempts?.add({
      attemptId,
      serverId,
      taskId,
      requestId,
      operation,
      outcome,
      summary,
      report,
      startedAt,
      durationMs,
    });
    metrics.attempt(operation, outcome, durationMs / 1000);
    if (outcome !== 'selected') {
      const fields = { attempt_id: attemptId, operation, outcome, duration_ms: durationMs };
      requestLogger(logger, ctx, { serverId }).info(fields, `no host: ${summary}`);
    }
    const plain = plainOutcome(outcome);
    return { outcome: plain, kind: outcome, attemptId, summary, alternates, ...(destination && { destination }) };
  }
}

/** By the three words that every caller knows. */
const plainOutcome = (outcome: Outcome): Selection['outcome'] =>
  outcome === 'selected' || outcome === 'claims_exhausted' ? outcome : 'no_valid_host';
