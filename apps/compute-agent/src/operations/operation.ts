import type { Client, computeContract, OperationRef } from '@fractus/rpc-contracts';
import type { PowerState } from '@fractus/objects';
import type { VirtDriver, Work } from '@fractus/virt';

/** Names of the casts of the compute contract that are operations: one file here for each. */
export type OperationName =
  'build' | 'destroy' | 'start' | 'stop' | 'reboot' | 'pause' | 'unpause' | 'suspend' | 'resume';

type ComputeClient = Client<typeof computeContract>;
/** The request of an operation, as the contract declares it. */
export type RequestOf<N extends OperationName> = Parameters<ComputeClient[N]>[1];

export interface OperationRequest {
  readonly operation: OperationRef;
}

/**
 * One operation on one guest. The runner has judged fence and key before `run`, and journals and reports what comes of
 * it; `run` only talks to the driver and may be repeated after a crash.
 */
export interface Operation<Req extends OperationRequest = OperationRequest> {
  readonly name: OperationName;
  /** Makes a guest: refused for a server with a tombstone, and its failures count against the host. */
  readonly builds?: boolean;
  /** Whether it reads and writes much of the disk; such ones count as `ioOps` of the host. */
  readonly diskHeavy?: boolean;
  /** Whether the server is gone for good after this request. */
  forever?(request: Req): boolean;
  /** Answers with the guest's power state, or nothing where no guest is left. */
  run(driver: VirtDriver, request: Req, work: Work): Promise<PowerState | undefined>;
}

export function defineOperation<N extends OperationName>(
  operation: Operation<RequestOf<N>> & { readonly name: N },
): Operation<RequestOf<N>> & { readonly name: N } {
  return Object.freeze(operation);
}
