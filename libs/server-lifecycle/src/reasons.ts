/**
 * Why an action is not possible, as data. Codes come in families (`state.vm_state`, `host.down`, `quota.cores`) and are
 * stable; messages may change.
 */
export const FEATURES = [
  'shares',
  'vtpm',
  'sev',
  'vdpa',
  'accelerators',
  'port_resource_request',
  'boot_from_volume',
] as const;
export type Feature = (typeof FEATURES)[number];

export type ReasonCode =
  | 'policy'
  | 'locked'
  | 'state.vm_state'
  | 'state.task_state'
  | 'state.launched'
  | 'host.none'
  | 'host.down'
  | 'host.unreported'
  | 'action.not_built'
  | 'microversion'
  | 'trait.missing'
  | 'driver.unsupported'
  | `feature.${Feature}`
  | `quota.${'instances' | 'cores' | 'ram'}`;

export type ReasonValue = string | number | boolean | null;

export interface Reason {
  readonly code: ReasonCode;
  /** Upstream's sentence where upstream has one: clients match on it. */
  readonly message: string;
  readonly have?: ReasonValue;
  readonly need?: ReasonValue | readonly ReasonValue[];
  /** Whether the same request may pass later without anybody changing rights, flavor or limits. */
  readonly retryable: boolean;
  /** The policy rule that forbids it. */
  readonly rule?: string;
  /** The driver capability, and the trait that tells of it, which the host lacks. */
  readonly capability?: string;
  readonly trait?: string;
  /** The first and the last microversion that have it, `2.87`; where the one asked for has not. */
  readonly min?: string;
  readonly max?: string;
}
