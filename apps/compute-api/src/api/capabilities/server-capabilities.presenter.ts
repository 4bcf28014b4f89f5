import { traitOf } from '@fractus/hypervisors-capabilities';
import { isoTime } from '@fractus/http';
import { type Reason, type StatePair, statusOf } from '@fractus/server-lifecycle';
import type {
  Possible,
  PossibleAction,
  PossibleFeature,
  ServerCapabilities,
} from '../../app/capabilities/server-capabilities';
import { hostIdOf } from '../servers/server.presenter';

/** `now` is epoch milliseconds. */
export function serverCapabilitiesView(found: ServerCapabilities, microversion: string, now: number): object {
  const { server, actions, features, hostStatus, hostShown, reportedAt } = found;
  return {
    server_id: server.id,
    evaluated_at: isoTime(now),
    reported_at: isoTime(reportedAt),
    microversion,
    state: {
      status: statusOf(server.vmState, server.taskState),
      vm_state: server.vmState,
      task_state: server.taskState,
      power_state: server.powerState,
      locked: server.lockedBy !== null,
    },
    host: {
      id_hash: hostIdOf(server),
      ...(hostStatus === null ? {} : { status: hostStatus }),
      ...(hostShown ? { name: hostShown.name, traits: [...hostShown.traits].sort() } : {}),
    },
    actions: actionsView(actions),
    ...(features.length > 0 ? { features: Object.fromEntries(features.map((f) => [f.name, featureView(f)])) } : {}),
  };
}

/** Actions of one name are its `variants`; it is available where one of them is. */
function actionsView(actions: readonly PossibleAction[]): object {
  const names = [...new Set(actions.map((a) => a.name))];
  return Object.fromEntries(names.map((name) => [name, actionView(actions.filter((a) => a.name === name))]));
}

function actionView(own: readonly PossibleAction[]): object {
  const [first] = own;
  if (first?.variant == null) return first ? possibleView(first) : {};
  const available = own.some((a) => a.reasons.length === 0);
  const variants = Object.fromEntries(own.map((a) => [a.variant ?? '', possibleView(a)]));
  return { available, ...(available ? {} : { reasons: distinct(own).map(reasonView) }), variants };
}

const distinct = (own: readonly PossibleAction[]): Reason[] => [
  ...new Map(own.flatMap((a) => a.reasons).map((r) => [JSON.stringify(r), r])).values(),
];

function possibleView({ reasons, already, meanwhile, then }: Possible): object {
  if (reasons.length > 0) return { available: false, reasons: reasons.map(reasonView) };
  return {
    available: true,
    ...(already ? { already } : {}),
    ...(meanwhile ? { meanwhile: stateView(meanwhile) } : {}),
    ...(then ? { then: stateView(then) } : {}),
  };
}

const stateView = ({ vmState, taskState }: StatePair): object => ({
  status: statusOf(vmState, taskState),
  vm_state: vmState,
  task_state: taskState,
});

const featureView = ({ reasons, capability, action }: PossibleFeature): object => ({
  available: reasons.length === 0,
  action,
  capability,
  trait: traitOf(capability) ?? null,
  ...(reasons.length > 0 ? { reasons: reasons.map(reasonView) } : {}),
});

/** A reason with every member that all reasons have, and those of its kind. */
function reasonView({ code, message, have, need, retryable, ...kind }: Reason): object {
  const trait = kind.trait ?? (kind.capability === undefined ? undefined : traitOf(kind.capability));
  return { code, message, have: have ?? null, need: need ?? null, retryable, ...kind, ...(trait ? { trait } : {}) };
}
