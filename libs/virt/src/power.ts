import { POWER_STATES, type PowerState, type PowerStateName } from '@fractus/objects';
import { DriverError } from './errors';

/** Operations that move a guest from one power state to another. A reboot is two of them: soft and hard differ. */
export const POWER_OPERATIONS = [
  'start',
  'stop',
  'reboot-soft',
  'reboot-hard',
  'pause',
  'unpause',
  'suspend',
  'resume',
] as const;
export type PowerOperation = (typeof POWER_OPERATIONS)[number];

export interface PowerRule {
  /** States in which the operation does its work. */
  readonly from: readonly PowerStateName[];
  /** States in which there is nothing left to do: the operation succeeds without touching the guest, so it may be repeated. */
  readonly already: readonly PowerStateName[];
  readonly to: PowerStateName;
}

/** Every other state refuses with `driver.power_state`. All drivers keep to this table; the contract suite walks it. */
export const POWER_RULES = {
  start: { from: ['shutdown', 'crashed'], already: ['running'], to: 'running' },
  stop: { from: ['running', 'paused', 'crashed', 'suspended'], already: ['shutdown'], to: 'shutdown' },
  'reboot-soft': { from: ['running'], already: [], to: 'running' },
  'reboot-hard': { from: ['running', 'shutdown', 'crashed', 'paused', 'suspended'], already: [], to: 'running' },
  pause: { from: ['running'], already: ['paused'], to: 'paused' },
  unpause: { from: ['paused'], already: ['running'], to: 'running' },
  suspend: { from: ['running'], already: ['suspended'], to: 'suspended' },
  resume: { from: ['suspended'], already: ['running'], to: 'running' },
} as const satisfies Record<PowerOperation, PowerRule>;

const NAMES = new Map<number, PowerStateName>(
  Object.entries(POWER_STATES).map(([name, n]) => [n, name as PowerStateName]),
);

export function powerStateName(state: PowerState): PowerStateName {
  return NAMES.get(state) ?? 'nostate';
}

/** What `operation` means for a guest in `state`. Throws `driver.power_state` where it is not legal. */
export function powerStep(operation: PowerOperation, state: PowerState): { to: PowerState; work: boolean } {
  const rule: PowerRule = POWER_RULES[operation];
  const name = powerStateName(state);
  if (rule.already.includes(name)) return { to: state, work: false };
  if (rule.from.includes(name)) return { to: POWER_STATES[rule.to], work: true };
  throw new DriverError('driver.power_state', `Cannot ${operation} a guest that is ${name}.`, {
    details: { operation, state: name },
  });
}
