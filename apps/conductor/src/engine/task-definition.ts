/**
 * What a task is: a table of steps, and how it ends. One file a task under `tasks/`.
 *
 * A step's `do` may run more than once (after a crash, after a lost lease): it must be repeatable. What it hands to an
 * agent carries (task, step, attempt), so the agent knows a repetition. `undo` runs in reverse order after a failure,
 * for the failed step too: whether or not an answer came, and must be repeatable as well.
 */
import type { Tx } from '@fractus/database';
import type {
  Answer,
  HostsRepository,
  JsonObject,
  Server,
  ServerPatch,
  ScheduleAttemptsRepository,
  ServersRepository,
  ServerOperations,
  TaskFailure,
  TaskLeases,
  TaskRecord,
  TasksRepository,
  QuotaUsagesRepository,
} from '@fractus/compute-db';
import type { RequestContext } from '@fractus/objects';
import type {
  Client,
  HostClient,
  OperationRef,
  computeContract,
  placementContract,
  schedulerContract,
} from '@fractus/rpc-contracts';
import type { TaskType } from '@fractus/server-lifecycle';
import type { Logger } from '@fractus/telemetry';
import type { NetworkPorts } from '../network-ports';

export type { Answer, TaskFailure } from '@fractus/compute-db';

/** What steps work with; everything outside of the database comes through here. */
export interface TaskTools {
  readonly scheduler: Client<typeof schedulerContract>;
  readonly compute: HostClient<typeof computeContract>;
  readonly placement: Client<typeof placementContract>;
  readonly network: NetworkPorts;
  readonly servers: ServersRepository;
  readonly attempts: ScheduleAttemptsRepository;
  readonly hosts: HostsRepository;
  readonly tasks: TasksRepository;
  readonly leases: TaskLeases;
  readonly operations: ServerOperations;
  readonly quota: QuotaUsagesRepository;
  readonly settings: TaskSettings;
  readonly clock: () => number;
  readonly logger: Logger;
}
export interface TaskSettings {
  /** Hosts that a build is tried on. */
  readonly maxBuildAttempts: number;
  /** Alternates asked of the scheduler beside the chosen host. */
  readonly alternates: number;
  /** Seconds that a guest gets to shut down cleanly. */
  readonly shutdownTimeoutSeconds: number;
  /** Milliseconds for which a step is repeated while what it needs is away: broker, database, scheduler, placement, network. */
  readonly troubleMs: number;
  /** Milliseconds without a heartbeat after which a host counts as down. */
  readonly serviceDownMs: number;
}

export interface StepContext<S extends object = JsonObject> {
  readonly ctx: RequestContext;
  readonly task: TaskRecord;
  readonly server: Server;
  /** Results of the steps so far. */
  readonly state: S;
  readonly tools: TaskTools;
  /** Throws when the lease may have run out: called ahead of effects that nothing fences, deep in a long step. */
  readonly proveLease: () => void;
}

/** Written together with the step's end: results for later steps, and fields of the server. */
export interface Writes<S extends object = JsonObject> {
  readonly state?: Partial<S>;
  readonly server?: ServerPatch;
}

export type Outcome<S extends object = JsonObject> =
  /** On to the next step; after the last one the task is done. */
  | ({ readonly kind: 'next' } & Writes<S>)
  /** To `step` (this one or an earlier one), as a new attempt. */
  | ({ readonly kind: 'again'; readonly step: string } & Writes<S>)
  /** Recorded first, then sent; the agent's answer wakes the task. `silenceSeconds` defaults to the step's. */
  | ({
      readonly kind: 'wait';
      readonly host: string;
      readonly send: (operation: OperationRef, ctx: RequestContext) => Promise<void>;
    } & Writes<S>)
  | { readonly kind: 'fail'; readonly failure: TaskFailure };

type Run<S extends object> = (x: StepContext<S>) => Promise<Outcome<S>> | Outcome<S>;

/** A half of a step that may wait for an agent. */
export interface StepWork<S extends object = JsonObject> {
  readonly run: Run<S>;
  /** The agent's answer; needed by work that waits. */
  readonly answered?: (x: StepContext<S>, answer: Answer) => Promise<Outcome<S>> | Outcome<S>;
  /** No sign of life for `silenceSeconds`. Default: fail, naming the step. */
  readonly silent?: Run<S>;
  /** Nobody serves the host, however often it was tried. Default: fail. */
  readonly unreachable?: Run<S>;
}

export interface Step<S extends object = JsonObject> {
  readonly name: string;
  readonly do: StepWork<S>;
  /** Null: the step leaves nothing behind. */
  readonly undo: StepWork<S> | null;
  /** Seconds without a sign of life from an agent; 0 for a step that never waits. */
  readonly silenceSeconds: number;
  /** Name of the action event it shows as. */
  readonly event?: string;
  /** How often in a row nobody may serve the host that the step speaks to, before that counts. Default 8. */
  readonly unreached?: number;
  /** Neighbours that are away are waited for up to the task's cap, not just for `troubleMs`. So is all undoing. */
  readonly endless?: boolean;
}

export interface TaskDefinition<S extends object = JsonObject> {
  readonly type: TaskType;
  readonly steps: readonly Step<S>[];
  /** Fields of the server at the end; (vm_state, task_state) come from the lifecycle table. */
  readonly patch?: (x: StepContext<S>, ended: 'done' | 'failed', now: number) => ServerPatch;
  /** Further writes of the transaction that ends it. */
  readonly ended?: (tx: Tx, x: StepContext<S>, ended: 'done' | 'failed', now: number) => Promise<void>;
}

/** Keeps the type of a task's state inside its own file. */
export function defineTask<S extends object>(definition: TaskDefinition<S>): TaskDefinition {
  return definition as unknown as TaskDefinition;
}

export const UNDO = ':undo';
/** Steps are named `spawn`, their undoing `spawn:undo`: in the task's row and towards agents. */
export const undoName = (step: string): string => `${step}${UNDO}`;
