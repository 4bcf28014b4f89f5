import { createHash } from 'node:crypto';
import type { ScheduleReport } from '@fractus/scheduling';
import type { StepContext } from '../engine/task-definition';

interface FailedBuild {
  readonly host: string;
  readonly code?: string;
  readonly message: string;
}

/**
 * Writes down, beside the scheduler's attempts, that hosts were chosen one after another and each failed to build the
 * server, with each one's fault. Once a task, however often the step runs.
 */
export async function recordRetries(
  { task, server, ctx, tools }: Pick<StepContext, 'task' | 'server' | 'ctx' | 'tools'>,
  story: readonly FailedBuild[],
): Promise<void> {
  const attemptId = idOf(task.id);
  if (await tools.attempts.find(attemptId)) return;
  const summary = `${story.length} hosts were chosen one after another, and each failed to build the server`;
  const report: ScheduleReport = {
    outcome: 'retries_exhausted',
    hostCount: story.length,
    summary,
    stages: [],
    hosts: story.map(({ host, code = 'driver.unknown', message }) => ({
      host,
      stage: 'build',
      by: 'driver',
      code,
      have: 'failed',
      need: 'built',
      sentence: `${host} could not build it: ${message}`,
    })),
    hostsOmitted: 0,
    weighed: [],
  };
  const now = tools.clock();
  await tools.attempts.add({
    attemptId,
    serverId: server.id,
    taskId: task.id,
    requestId: ctx.requestId,
    operation: 'create',
    outcome: report.outcome,
    summary,
    report,
    startedAt: now,
    durationMs: 0,
  });
}

/** The same for the same task. */
function idOf(taskId: string): string {
  const hex = createHash('sha256').update(`retries of ${taskId}`).digest('hex');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}
