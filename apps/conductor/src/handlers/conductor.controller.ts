import { RpcHandlers } from '@fractus/rpc';
import { conductorContract, type Handlers } from '@fractus/rpc-contracts';
import type { RequestContext } from '@fractus/objects';
import type {
  GuestEvent,
  HostReport,
  OperationFinished,
  OperationProgress,
  ReattachHost,
  ReattachVerdicts,
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

  operationProgress(_ctx: RequestContext, request: OperationProgress): Promise<void> {
    return this.parts.operations.progress(request);
  }

  operationFinished(ctx: RequestContext, request: OperationFinished): Promise<void> {
    return this.parts.operations.finished(ctx, request);
  }

  registerHosts(_ctx: RequestContext, request: RegisterHosts): Promise<RegisteredHosts> {
    return this.parts.hosts.register(request);
  }

  hostReport(_ctx: RequestContext, request: HostReport): Promise<void> {
    return this.parts.hosts.report(request);
  }

  reattachHost(_ctx: RequestContext, request: ReattachHost): Promise<ReattachVerdicts> {
    return this.parts.guests.reattach(request);
  }

  guestEvent(_ctx: RequestContext, request: GuestEvent): Promise<void> {
    return this.parts.guests.event(request);
  }
}
