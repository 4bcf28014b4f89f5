import { IsUUID } from 'class-validator';
import { call, cast, defineContract } from './contract';
import { GuestEvent, HostReport, ReattachHost, ReattachVerdicts, RegisteredHosts, RegisterHosts } from './hosts.dto';
import { OperationFinished, OperationProgress } from './operations.dto';

/** A hint: the task row says what there is to do; a lost hint is made up for by the poller. */
export class TaskReady {
  @IsUUID() taskId: string;
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
});
