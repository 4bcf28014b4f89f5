import { type Client, schedulerContract } from '@fractus/rpc-contracts';
import type { DryRunDeps } from '../../app/schedule-info/dry-run';
import type { ApiParts } from '../../parts';
import { clientOf } from '../rpc';
import { ServerParts } from '../servers/server-parts';

/** What the use cases of servers are given, and the scheduler. */
export class DryRunParts extends ServerParts implements DryRunDeps {
  readonly scheduler: Client<typeof schedulerContract>;

  constructor(parts: ApiParts) {
    super(parts);
    this.scheduler = clientOf(parts, schedulerContract);
  }
}
