/** A server's stable state (upstream nova/compute/vm_states). */
export const VM_STATES = [
  'active',
  'building',
  'paused',
  'suspended',
  'stopped',
  'rescued',
  'resized',
  'soft-delete',
  'deleted',
  'error',
  'shelved',
  'shelved_offloaded',
] as const;
export type VmState = (typeof VM_STATES)[number];

/** What is being done to a server right now; null when nothing is (upstream nova/compute/task_states). */
export const TASK_STATES = [
  'scheduling',
  'block_device_mapping',
  'networking',
  'spawning',
  'image_snapshot',
  'image_snapshot_pending',
  'image_pending_upload',
  'image_uploading',
  'image_backup',
  'updating_password',
  'resize_prep',
  'resize_migrating',
  'resize_migrated',
  'resize_finish',
  'resize_reverting',
  'resize_confirming',
  'rebooting',
  'reboot_pending',
  'reboot_started',
  'rebooting_hard',
  'reboot_pending_hard',
  'reboot_started_hard',
  'pausing',
  'unpausing',
  'suspending',
  'resuming',
  'powering-off',
  'powering-on',
  'rescuing',
  'unrescuing',
  'rebuilding',
  'rebuild_block_device_mapping',
  'rebuild_spawning',
  'migrating',
  'deleting',
  'soft-deleting',
  'restoring',
  'shelving',
  'shelving_image_pending_upload',
  'shelving_image_uploading',
  'shelving_offloading',
  'unshelving',
] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** Hypervisor's view of a guest (upstream nova/compute/power_state); the numbers are on the wire. */
export const POWER_STATES = { nostate: 0, running: 1, paused: 3, shutdown: 4, crashed: 6, suspended: 7 } as const;
export type PowerStateName = keyof typeof POWER_STATES;
export type PowerState = (typeof POWER_STATES)[PowerStateName];
