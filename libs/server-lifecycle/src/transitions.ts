/**
 * What happens to a server without anybody asking: the progress of a task, and guests that change by themselves.
 * Progress rows are written by the task's lease holder; guest rows only while no task is open for the server.
 */
import { POWER_STATES, type PowerState, type TaskState, type VmState } from '@fractus/objects';

/** A phase an agent or a step reports → the task_state it shows as, while the server is in `vmState`. */
export interface ProgressRow {
  readonly vmState: VmState;
  readonly phase: string;
  readonly taskState: TaskState;
  /** In per cent; never goes back. */
  readonly progress: number;
}

export const PROGRESS: readonly ProgressRow[] = [
  { vmState: 'building', phase: 'scheduling', taskState: 'scheduling', progress: 0 },
  { vmState: 'building', phase: 'networking', taskState: 'networking', progress: 10 },
  { vmState: 'building', phase: 'block_device_mapping', taskState: 'block_device_mapping', progress: 20 },
  { vmState: 'building', phase: 'image', taskState: 'spawning', progress: 30 },
  { vmState: 'building', phase: 'spawning', taskState: 'spawning', progress: 60 },
  { vmState: 'active', phase: 'reboot_pending', taskState: 'reboot_pending', progress: 0 },
  { vmState: 'active', phase: 'reboot_started', taskState: 'reboot_started', progress: 0 },
];

/** The row for a reported phase, or null where the phase is the agent's own word and not shown. */
export function progressOf(vmState: VmState, phase: string | undefined): ProgressRow | null {
  return PROGRESS.find((row) => row.vmState === vmState && row.phase === phase) ?? null;
}

export type GuestEffect =
  /** Follow the guest. */
  | { readonly kind: 'become'; readonly vmState: VmState }
  /** Bring the guest back to what the user asked for. */
  | { readonly kind: 'enforce'; readonly action: 'stop' }
  /** Only the power state is written down. */
  | { readonly kind: 'record' };

export interface GuestRow {
  readonly vmState: VmState;
  readonly power: readonly PowerState[];
  readonly effect: GuestEffect;
  readonly why: string;
}

const { running, paused, shutdown, crashed, suspended } = POWER_STATES;

/** First row that matches wins; no row: the power state is recorded. Upstream: _sync_instance_power_state. */
export const GUEST_EVENTS: readonly GuestRow[] = [
  {
    vmState: 'active',
    power: [shutdown, crashed],
    effect: { kind: 'become', vmState: 'stopped' },
    why: 'the guest shut itself down or died',
  },
  {
    vmState: 'active',
    power: [paused],
    effect: { kind: 'record' },
    why: 'paused behind our back: it may be resumed the same way',
  },
  {
    vmState: 'active',
    power: [suspended],
    effect: { kind: 'become', vmState: 'suspended' },
    why: 'the guest was suspended on its host',
  },
  {
    vmState: 'paused',
    power: [shutdown, crashed],
    effect: { kind: 'become', vmState: 'stopped' },
    why: 'a paused guest was switched off',
  },
  {
    vmState: 'paused',
    power: [running],
    effect: { kind: 'become', vmState: 'active' },
    why: 'the guest was resumed on its host',
  },
  {
    vmState: 'stopped',
    power: [running, paused],
    effect: { kind: 'enforce', action: 'stop' },
    why: 'the user wants it off',
  },
  {
    vmState: 'suspended',
    power: [running],
    effect: { kind: 'become', vmState: 'active' },
    why: 'the guest was resumed on its host',
  },
];

export function guestEffect(vmState: VmState, power: PowerState): GuestEffect {
  return GUEST_EVENTS.find((row) => row.vmState === vmState && row.power.includes(power))?.effect ?? { kind: 'record' };
}
