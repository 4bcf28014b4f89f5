import { IsBoolean, IsIn, IsInt, Min } from 'class-validator';
import { Nested } from '@fractus/dto-schema';
import { call, cast, defineContract } from './contract';
import { Empty, HostUptime, SetHostEnabled } from './hosts.dto';
import { GuestSpec, OperationRef } from './operations.dto';

export class BuildGuest {
  @Nested(() => OperationRef) operation: OperationRef;
  @Nested(() => GuestSpec) guest: GuestSpec;
}
export class DestroyGuest {
  @Nested(() => OperationRef) operation: OperationRef;
  /** True when the server is being deleted: a tombstone then refuses every later build of it. */
  @IsBoolean() forever: boolean;
}
/** start, pause, unpause, suspend, resume: nothing but the operation. */
export class GuestOperation {
  @Nested(() => OperationRef) operation: OperationRef;
}
export class StopGuest {
  @Nested(() => OperationRef) operation: OperationRef;
  /** Seconds the guest gets for a clean shutdown; 0: pull the plug. */
  @IsInt() @Min(0) shutdownTimeoutSeconds: number;
}
export const REBOOT_TYPES = ['SOFT', 'HARD'] as const;
export class RebootGuest {
  @Nested(() => OperationRef) operation: OperationRef;
  @IsIn(REBOOT_TYPES) type: (typeof REBOOT_TYPES)[number];
}

/**
 * What conductor (and, for calls, the API) says to the agent of one host. Every cast is answered by
 * `conductor.operationFinished` with the same operation reference, at least once.
 */
export const computeContract = defineContract('compute', 'host', {
  build: cast(BuildGuest),
  destroy: cast(DestroyGuest),
  start: cast(GuestOperation),
  stop: cast(StopGuest),
  reboot: cast(RebootGuest),
  pause: cast(GuestOperation),
  unpause: cast(GuestOperation),
  suspend: cast(GuestOperation),
  resume: cast(GuestOperation),
  setHostEnabled: call(SetHostEnabled, Empty, 10_000),
  getUptime: call(Empty, HostUptime, 10_000),
});
