import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AggregatesRepository, HostSnapshotsRepository } from '@fractus/compute-db';
import type { Logger } from '@fractus/telemetry';
import type { HostCache } from './host-cache';

/** Reads hosts and aggregates into the cache: whole on start and now and then, by name when news say so. */
export class HostLoader {
  private readonly wanted = new Set<string>();
  private working: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly cache: HostCache,
    private readonly snapshots: HostSnapshotsRepository,
    private readonly aggregates: AggregatesRepository,
    private readonly logger: Logger,
    private readonly pageSize: number,
  ) {}

  /** The whole of it, page by page in order of row id. Rejects when the database does. */
  async loadAll(): Promise<void> {
    await this.loadAggregates();
    const found = new Set<string>();
    for (let after = 0; ;) {
      const page = await this.snapshots.page(after, this.pageSize);
      this.cache.load(page);
      for (const { nodeId, rowId } of page) {
        found.add(nodeId);
        after = rowId;
      }
      if (page.length < this.pageSize) break;
      await nextTurn(); // thousands of hosts must not hold up the requests
    }
    this.cache.retain(found);
  }

  async loadAggregates(): Promise<void> {
    this.cache.setAggregates(await this.aggregates.list());
  }

  /** Reads these hosts soon; names that come while a read is under way are read together afterwards. */
  want(hosts: readonly string[]): void {
    for (const host of hosts) this.wanted.add(host);
    if (this.wanted.size === 0 || this.working || this.stopped) return;
    this.working = this.readWanted()
      .catch((err: unknown) =>
        this.logger.warn({ err }, 'hosts could not be read; news or the next full read will bring them'),
      )
      .finally(() => {
        this.working = undefined;
        if (this.wanted.size > 0) this.want([]);
      });
  }

  /** Full reads from now on, each begun `seconds` after the last one's end. */
  refreshEvery(seconds: number): void {
    if (seconds === 0 || this.stopped) return;
    this.timer = setTimeout(() => {
      this.loadAll()
        .catch((err: unknown) => this.logger.warn({ err }, 'the hosts could not be read; trying again later'))
        .finally(() => this.refreshEvery(seconds));
    }, seconds * 1000).unref();
  }

  /** Resolves when what news asked for until now is read. */
  async caughtUp(): Promise<void> {
    await this.working;
  }

  /** Resolves when no read is under way or waiting. */
  async idle(): Promise<void> {
    while (this.working) await this.working;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.idle();
  }

  private async readWanted(): Promise<void> {
    while (this.wanted.size > 0) {
      const hosts = [...this.wanted].slice(0, this.pageSize);
      for (const host of hosts) this.wanted.delete(host);
      const found = await this.snapshots.ofHosts(hosts);
      this.cache.load(found);
      this.cache.forgetHosts(hosts, found);
    }
  }
}
