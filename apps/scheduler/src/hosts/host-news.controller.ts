import { RpcHandlers } from '@fractus/rpc';
import type { RequestContext } from '@fractus/objects';
import {
  type AggregatesChanged,
  type Handlers,
  type HostReport,
  schedulerNews,
  type ServiceChanged,
} from '@fractus/rpc-contracts';
import { HostCache } from './host-cache';
import { HostLoader } from './host-loader';

/** News of hosts, services and aggregates. */
@RpcHandlers(schedulerNews)
export class HostNewsController implements Handlers<typeof schedulerNews> {
  constructor(
    private readonly cache: HostCache,
    private readonly loader: HostLoader,
  ) {}

  async hosts(_ctx: RequestContext, report: HostReport): Promise<void> {
    this.loader.want(this.cache.report(report, Date.now()));
  }

  /** There are few aggregates: all are read anew, whichever has changed. */
  async aggregatesChanged(_ctx: RequestContext, _changed: AggregatesChanged): Promise<void> {
    await this.loader.loadAggregates();
  }

  async serviceChanged(_ctx: RequestContext, { host }: ServiceChanged): Promise<void> {
    this.loader.want([host]);
  }
}
