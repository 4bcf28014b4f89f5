import { RpcHandlers } from '@fractus/rpc';
import { conductorContract, type Handlers } from '@fractus/rpc-contracts';
import type { RequestContext } from '@fractus/objects';
import type {
  Empty,
  GuestEvent,
  HostReport,
  OperationFinished,
  OperationProgress,
  ReattachHost,
  ReattachVerdicts,
  ReconcileFindings,
  RegisteredHosts,
  RegisterHosts,
  TaskReady,
} from '@fractus/rpc-contracts';
import { ConductorParts } from '../parts';

@RpcHandlers(conductorContract)
export class ConductorController implements Handlers<typeof conductorContract> {
  constructor(private readonly parts: ConductorParts) {}

  async taskReady(_ctx: RequestContext, { taskId }: TaskReady): Promise<void> {
    this.parts.engine.hint(taskId);
  }

  /** A sign of life that is lost is made up for by the next: it is no letter for operators to look at. */
  operationProgress(ctx: RequestContext, request: OperationProgress): Promise<void> {
    return this.parts.patience.forgo('operationProgress', () => this.parts.operations.progress(ctx, request));
  }

  operationFinished(ctx: RequestContext, request: OperationFinished): Promise<void> {
    return this.parts.patience.hold('operationFinished', () => this.parts.operations.finished(ctx, request));
  }

  registerHosts(ctx: RequestContext, request: RegisterHosts): Promise<RegisteredHosts> {
    return this.parts.hosts.register(ctx, request);
  }

  hostReport(ctx: RequestContext, request: HostReport): Promise<void> {
    return this.parts.patience.hold('hostReport', () => this.parts.hosts.report(ctx, request));
  }

  reattachHost(ctx: RequestContext, request: ReattachHost): Promise<ReattachVerdicts> {
    return this.parts.guests.reattach(ctx, request);
  }

  guestEvent(ctx: RequestContext, request: GuestEvent): Promise<void> {
    return this.parts.patience.hold('guestEvent', () => this.parts.guests.event(ctx, request));
  }

  async runReconcilers(_ctx: RequestContext, _request: Empty): Promise<ReconcileFindings> {
    return { findings: await this.parts.reconcilers.once() };
  }
}
