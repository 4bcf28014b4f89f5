import type { PowerState, TaskState, VmState } from '@fractus/objects';
import type { Feature } from './reasons';

/** A server as the guards see it. */
export interface ServerFacts {
  readonly id: string;
  readonly vmState: VmState;
  readonly taskState: TaskState | null;
  readonly powerState?: PowerState;
  readonly locked: boolean;
  /** Who locked it: `owner` may unlock, `admin` needs the override policy. */
  readonly lockedBy?: 'owner' | 'admin' | null;
  /** Whether it has ever run (launched_at is set). */
  readonly launched: boolean;
  readonly host: string | null;
  /** What it carries that some actions cannot cope with. */
  readonly features?: ReadonlySet<Feature>;
}

export interface HostFacts {
  /** Heartbeats arrive and nobody forced it down. */
  readonly up: boolean;
  readonly disabled?: boolean;
  /** Driver capability flags; see libs/hypervisors-capabilities. */
  readonly capabilities?: Readonly<Record<string, boolean>>;
  readonly traits?: ReadonlySet<string>;
}

/** One resource of a quota, as it stands before the request. −1: unlimited. */
export interface QuotaFact {
  readonly resource: 'instances' | 'cores' | 'ram';
  readonly requested: number;
  readonly used: number;
  readonly limit: number;
}

/**
 * All that guards look at; the caller gathers it. A part that is left out was checked elsewhere (policy at the edge,
 * quota by the conditional UPDATE) and its guard passes.
 */
export interface Facts {
  /** Null for `create` only. */
  readonly server: ServerFacts | null;
  readonly actor: {
    /** Admins pass a lock (upstream check_instance_lock). */
    readonly admin: boolean;
    /** Answers whether the actor may perform a policy rule on this server. */
    readonly may?: (rule: string) => boolean;
  };
  readonly host?: HostFacts;
  readonly quota?: readonly QuotaFact[];
  /** Minor of the microversion asked for: 104 for 2.104. */
  readonly microversion?: number;
}
