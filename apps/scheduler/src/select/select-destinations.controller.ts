import { RpcHandlers } from '@fractus/rpc';
import type { RequestContext } from '@fractus/objects';
import { type Handlers, schedulerContract, type SelectDestinations, type Selection } from '@fractus/rpc-contracts';
import { DestinationSelector } from './destination-selector';

@RpcHandlers(schedulerContract)
export class SelectDestinationsController implements Handlers<typeof schedulerContract> {
  constructor(private readonly selector: DestinationSelector) {}

  selectDestinations(ctx: RequestContext, request: SelectDestinations): Promise<Selection> {
    return this.selector.select(ctx, request);
  }
}
