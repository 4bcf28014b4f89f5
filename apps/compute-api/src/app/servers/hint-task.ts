import type { RequestContext } from '@fractus/objects';
import type { Client, conductorContract } from '@fractus/rpc-contracts';
import type { Logger } from '@fractus/telemetry';

/** Tells conductor that a task is there. The row is what counts: a hint that is lost costs the poller's interval. */
export function hintTask(
  deps: { conductor: Client<typeof conductorContract>; logger: Logger },
  ctx: RequestContext,
  taskId: string | null,
): void {
  if (taskId === null) return;
  const { deadline: _, ...lasting } = ctx;
  deps.conductor.taskReady(lasting, { taskId }).catch((err: unknown) => {
    deps.logger.warn(
      { err, request_id: ctx.requestId, task_id: taskId },
      'conductor was not told of a task; its poller will find it',
    );
  });
}
