import { RpcHandlers } from '@fractus/rpc';
import type { RequestContext } from '@fractus/objects';
import {
  type DryRun,
  type DryRunAnswer,
  type Handlers,
  schedulerContract,
  type SelectDestinations,
  type Selection,
} from '@fractus/rpc-contracts';
import { HostLoader } from '../hosts/host-loader';
import { DestinationSelector } from './destination-selector';
import { DryRunner } from './dry-run';

@RpcHandlers(schedulerContract)
export class SelectDestinationsController implements Handlers<typeof schedulerContract> {
  constructor(
    private readonly selector: DestinationSelector,
    private readonly dryRunner: DryRunner,
    private readonly loader: HostLoader,
  ) {}

  /** A host that news have named is read before anybody is told that it is down or not there. */
  async selectDestinations(ctx: RequestContext, request: SelectDestinations): Promise<Selection> {
    await this.loader.caughtUp();
    return this.selector.select(ctx, request);
  }

  /** Where a request would go, or why nowhere; nothing is written. */
  async dryRun(ctx: RequestContext, request: DryRun): Promise<DryRunAnswer> {
    await this.loader.caughtUp();
    return this.dryRunner.run(ctx, request);
  }
}
