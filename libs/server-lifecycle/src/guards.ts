/**
 * The guards: pure functions from facts to a reason, or null where nothing stands in the way. Each is named in the
 * action table; the order there is the order of upstream's decorators, since the first reason becomes the HTTP answer.
 */
import type { ActionRow } from './actions';
import type { Facts, ServerFacts } from './facts';
import type { Feature, Reason } from './reasons';

export type Guard = (row: ActionRow, facts: Facts) => Reason | null;

const onServer =
  (check: (row: ActionRow, server: ServerFacts, facts: Facts) => Reason | null): Guard =>
  (row, facts) =>
    facts.server ? check(row, facts.server, facts) : null;

const stateSentence = (row: ActionRow, server: ServerFacts, attr: string, state: string): string =>
  `Cannot '${row.verb}' instance ${server.id} while it is in ${attr} ${state}`;

const feature = (name: Feature, what: string): Guard =>
  onServer((row, server) =>
    server.features?.has(name)
      ? {
          code: `feature.${name}`,
          message: `Operation '${row.verb}' not supported for instance ${server.id} with ${what}.`,
          have: name,
          need: null,
          retryable: false,
        }
      : null,
  );

const driver = (capability: string): Guard =>
  onServer((row, server, facts) =>
    facts.host?.capabilities?.[capability] === false
      ? {
          code: 'driver.unsupported',
          message: `The hypervisor of instance ${server.id} does not support '${row.verb}'`,
          have: false,
          need: capability,
          retryable: false,
          capability,
        }
      : null,
  );

/** An actor that may not is told the rule; upstream's sentence. */
function policy(rule: string, facts: Facts): Reason | null {
  if (!facts.actor.may || facts.actor.may(rule)) return null;
  const message = `Policy doesn't allow ${rule} to be performed.`;
  return { code: 'policy', message, need: rule, retryable: false, rule };
}

export const GUARDS = {
  policy: (row, facts) => policy(row.policy, facts),

  /** A locked server takes actions from admins only. */
  lock: onServer((_row, server, facts) =>
    server.locked && !facts.actor.admin
      ? { code: 'locked', message: `Instance ${server.id} is locked`, have: true, need: false, retryable: true }
      : null,
  ),

  /** Who unlocks what an admin locked needs the override rule. */
  lockOwner: onServer((row, server, facts) =>
    server.locked && server.lockedBy === 'admin' ? policy(`${row.policy}:unlock_override`, facts) : null,
  ),

  hasHost: onServer((_row, server) =>
    server.host === null
      ? {
          code: 'host.none',
          message: `Instance ${server.id} is not ready`,
          have: null,
          need: 'a host',
          retryable: true,
        }
      : null,
  ),

  vmState: onServer((row, server) =>
    row.vmStates === 'any' || row.vmStates.includes(server.vmState)
      ? null
      : {
          code: 'state.vm_state',
          message: stateSentence(row, server, 'vm_state', server.vmState),
          have: server.vmState,
          need: row.vmStates,
          retryable: server.vmState === 'building',
        },
  ),

  taskState: onServer((row, server) =>
    row.taskStates === 'any' || row.taskStates.includes(server.taskState)
      ? null
      : {
          code: 'state.task_state',
          message: stateSentence(row, server, 'task_state', server.taskState ?? 'None'),
          have: server.taskState,
          need: row.taskStates,
          retryable: true,
        },
  ),

  /** Has never run: an ERROR server whose build failed cannot be stopped, only deleted. */
  launched: onServer((row, server) =>
    server.launched
      ? null
      : {
          code: 'state.launched',
          message: `Instance ${server.id} is in an invalid state for '${row.verb}'`,
          have: null,
          need: 'launched_at',
          retryable: server.vmState === 'building',
        },
  ),

  quota: (_row, facts) => {
    const over = (facts.quota ?? []).filter((q) => q.limit >= 0 && q.requested > 0 && q.used + q.requested > q.limit);
    const first = over[0];
    if (!first) return null;
    return {
      code: `quota.${first.resource}`,
      message: quotaSentence(over),
      have: first.used,
      need: first.requested,
      retryable: true,
    };
  },

  noSev: feature('sev', 'encrypted guest memory'),
  noAccelerators: feature('accelerators', 'accelerators'),
  noShares: feature('shares', 'shares'),
  driverPause: driver('supports_pause'),
  driverSuspend: driver('supports_suspend'),
} as const satisfies Record<string, Guard>;

export type GuardKey = keyof typeof GUARDS;

/** Upstream's TooManyInstances sentence; several resources are joined by commas, in the order given. */
export function quotaSentence(
  over: readonly { resource: string; requested: number; used: number; limit: number }[],
): string {
  const join = (pick: (q: (typeof over)[number]) => string | number): string => over.map(pick).join(', ');
  const names = join((q) => q.resource);
  return `Quota exceeded for ${names}: Requested ${join((q) => q.requested)}, but already used ${join((q) => q.used)} of ${join((q) => q.limit)} ${names}`;
}
