import type { RequestContext } from '@fractus/objects';
import { notFound } from '@fractus/objects';
import { deliveryOf, RpcHandlers } from '@fractus/rpc';
import {
  computeContract,
  type BuildGuest,
  type DestroyGuest,
  type Empty,
  type GuestOperation,
  type Handlers,
  type HostUptime,
  type RebootGuest,
  type SetHostEnabled,
  type StopGuest,
} from '@fractus/rpc-contracts';
import { Inject } from '@nestjs/common';
import type { VirtDriver } from '@fractus/virt';
import type { AgentHost, HostRegistry } from './hosts/host-registry';
import { OPERATIONS } from './operations';
import type { ResourceTracker } from './resource-tracker/resource-tracker';
import type { OperationRunner } from './runner/operation-runner';

/** What the handlers need of the agent. */
export interface RpcParts {
  readonly runner: OperationRunner;
  readonly hosts: HostRegistry;
  readonly tracker: ResourceTracker;
  readonly driver: VirtDriver;
}
export const RPC_PARTS = Symbol('compute-agent.rpc-parts');

/** Dispatches and no more: an operation is a file in `operations/`, the runner sees it through. */
@RpcHandlers(computeContract)
export class ComputeRpc implements Handlers<typeof computeContract> {
  constructor(@Inject(RPC_PARTS) private readonly parts: RpcParts) {}

  build(ctx: RequestContext, request: BuildGuest): Promise<void> {
    return this.parts.runner.accept(OPERATIONS.build, ctx, request);
  }
  destroy(ctx: RequestContext, request: DestroyGuest): Promise<void> {
    return this.parts.runner.accept(OPERATIONS.destroy, ctx, request);
  }
  start(ctx: RequestContext, request: GuestOperation): Promise<void> {
    return this.parts.runner.accept(OPERATIONS.start, ctx, request);
  }
  stop(ctx: RequestContext, request: StopGuest): Promise<void> {
    return this.parts.runner.accept(OPERATIONS.stop, ctx, request);
  }
  reboot(ctx: RequestContext, request: RebootGuest): Promise<void> {
    return this.parts.runner.accept(OPERATIONS.reboot, ctx, request);
  }
  pause(ctx: RequestContext, request: GuestOperation): Promise<void> {
    return this.parts.runner.accept(OPERATIONS.pause, ctx, request);
  }
  unpause(ctx: RequestContext, request: GuestOperation): Promise<void> {
    return this.parts.runner.accept(OPERATIONS.unpause, ctx, request);
  }
  suspend(ctx: RequestContext, request: GuestOperation): Promise<void> {
    return this.parts.runner.accept(OPERATIONS.suspend, ctx, request);
  }
  resume(ctx: RequestContext, request: GuestOperation): Promise<void> {
    return this.parts.runner.accept(OPERATIONS.resume, ctx, request);
  }

  /** The trait COMPUTE_STATUS_DISABLED follows at once; where Placement cannot be reached it follows with the next refresh. */
  async setHostEnabled(ctx: RequestContext, { enabled }: SetHostEnabled): Promise<Empty> {
    const host = this.host(ctx);
    host.disabled = !enabled;
    this.parts.hosts.changed(host.host);
    await this.parts.tracker.sync(ctx, [host]);
    return {};
  }

  async getUptime(ctx: RequestContext, _request: Empty): Promise<HostUptime> {
    return { uptime: await this.parts.driver.uptime(this.host(ctx).host) };
  }

  /** The host that a call was addressed to. */
  private host(ctx: RequestContext): AgentHost {
    const name = deliveryOf(ctx)?.host;
    const host = name === undefined ? undefined : this.parts.hosts.get(name);
    if (!host) throw notFound(`This agent does not serve host ${name ?? '(none)'}.`, { code: 'host.not_found' });
    return host;
  }
}
