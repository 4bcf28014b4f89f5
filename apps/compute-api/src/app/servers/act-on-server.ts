import type { Server, ServerOperations, ServerPatch } from '@fractus/compute-db';
import type { RequestContext } from '@fractus/objects';
import type { Client, conductorContract } from '@fractus/rpc-contracts';
import { type ActionKey, type Facts, actionRow, requireAllowed } from '@fractus/server-lifecycle';
import type { Logger } from '@fractus/telemetry';
import { hintTask } from './hint-task';
import { type AccessDeps, serverFor } from './server-access';

export interface ActDeps extends AccessDeps {
  operations: ServerOperations;
  conductor: Client<typeof conductorContract>;
  logger: Logger;
  /** What the host of the server is capable of, as its agent last said; undefined where it is not known. */
  capabilitiesOf(server: Server): Promise<Readonly<Record<string, boolean>> | undefined>;
}

export interface ActRequest {
  action: ActionKey;
  serverId: string;
  input?: Record<string, string | number | boolean | null>;
  patch?: (server: Server) => ServerPatch;
  /** Whether there is nothing to do: accepted, and not written down. */
  needless?: (server: Server) => boolean;
}

/** Gathers what the guards look at. */
export async function factsOf(
  deps: Pick<ActDeps, 'capabilitiesOf' | 'may'>,
  ctx: RequestContext,
  server: Server,
): Promise<Facts> {
  const capabilities = await deps.capabilitiesOf(server);
  const target = { projectId: server.projectId, userId: server.userId };
  return {
    server: {
      id: server.id,
      vmState: server.vmState,
      taskState: server.taskState,
      powerState: server.powerState,
      locked: server.lockedBy !== null,
      lockedBy: server.lockedBy,
      launched: server.launchedAt !== null,
      host: server.host,
    },
    actor: { admin: ctx.roles.includes('admin'), may: (rule) => deps.may(ctx, rule, target) },
    ...(capabilities ? { host: { up: true, capabilities } } : {}),
  };
}

/**
 * Begins an action of the lifecycle table on a server: policy, guards, then one transaction that swaps the states and
 * creates the task. Errors: `not_found`, `forbidden`, `conflict` with the first reason's sentence and all reasons.
 */
export async function actOnServer(
  deps: ActDeps,
  ctx: RequestContext,
  { action, serverId, input, patch, needless }: ActRequest,
): Promise<void> {
  const server = await serverFor(deps, ctx, serverId, actionRow(action).policy);
  if (needless?.(server)) return;
  const verdict = requireAllowed(action, await factsOf(deps, ctx, server));
  const begun = await deps.operations.begin(ctx, {
    server,
    action,
    verdict,
    ...(input ? { input } : {}),
    ...(patch ? { patch: patch(server) } : {}),
  });
  hintTask(deps, ctx, begun.taskId);
}
