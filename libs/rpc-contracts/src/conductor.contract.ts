import { IsBoolean, IsString, IsUUID } from 'class-validator';
import { ListOf } from '@fractus/dto-schema';
import { call, cast, defineContract } from './contract';
import {
  Empty,
  GuestEvent,
  HostReport,
  ReattachHost,
  ReattachVerdicts,
  RegisteredHosts,
  RegisterHosts,
} from './hosts.dto';
import { OperationFinished, OperationProgress } from './operations.dto';

/** A hint: the task row says what there is to do; a lost hint is made up for by the poller. */
export class TaskReady {
  @IsUUID() taskId: string;
}

/** Something that a reconciler found not to be as it should be, and what came of it. */
export class ReconcileFinding {
  /** `orphan-allocations`, `stuck-servers`, … */
  @IsString() reconciler: string;
  /** `server <id>`, `host <name>`, `consumer <id>`, `project <id>`, `tasks`. */
  @IsString() subject: string;
  /** What is not as it should be: a sentence. */
  @IsString() finding: string;
  /** Whether something was done about it. */
  @IsBoolean() acted: boolean;
  /** What was done, or why nothing was done yet: a sentence. */
  @IsString() outcome: string;
}
export class ReconcileFindings {
  @ListOf(() => ReconcileFinding) findings: ReconcileFinding[];
}

/** What the API and the agents say to conductor. */
export const conductorContract = defineContract('conductor', 'queue', {
  taskReady: cast(TaskReady),
  operationProgress: cast(OperationProgress),
  operationFinished: cast(OperationFinished),
  registerHosts: call(RegisterHosts, RegisteredHosts, 60_000),
  hostReport: cast(HostReport),
  reattachHost: call(ReattachHost, ReattachVerdicts, 60_000),
  guestEvent: cast(GuestEvent),
  /** One pass of all reconcilers, now; waits for one that is under way. */
  runReconcilers: call(Empty, ReconcileFindings, 300_000),
});
