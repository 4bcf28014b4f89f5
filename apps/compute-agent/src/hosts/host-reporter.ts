import type { RequestContext } from '@fractus/objects';
import type { Client, conductorContract, HostReport, HostState, schedulerNews } from '@fractus/rpc-contracts';
import type { Logger } from '@fractus/telemetry';
import type { Clock, VirtDriver } from '@fractus/virt';
import type { ResourceTracker } from '../resource-tracker/resource-tracker';
import type { AgentHost, HostRegistry } from './host-registry';
import { readHostState } from './host-state';

/** Milliseconds in which further changes join a report. */
const DEBOUNCE_MS = 200;
/** Milliseconds between two reports of changes: under load everything that changed meanwhile goes into one. */
const GAP_MS = 1_000;

export interface ReporterParts {
  readonly agentId: string;
  readonly incarnation: number;
  readonly intervalMs: number;
  readonly driver: VirtDriver;
  readonly hosts: HostRegistry;
  readonly tracker: ResourceTracker;
  readonly conductor: Client<typeof conductorContract>;
  readonly news: Client<typeof schedulerNews>;
  readonly newContext: () => RequestContext;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Says that the hosts are alive, and how those that changed are: one message for the whole process every interval, and
 * a small one that names only the changed hosts soon after a change, but no more than one a second; to conductor, which
 * keeps it, and as news to schedulers, which count their own claims until long after a host has told of them. `seq`
 * grows with every report sent, so that a listener sees what it missed.
 *
 * A changed host whose state cannot be read is left out of both until it can: the others live all the same.
 */
export class HostReporter {
  private seq = 0;
  private cancel: () => void = () => undefined;
  private wakesAt = Infinity;
  private heartbeatAt = 0;
  private toldAt = -Infinity;
  private sending = false;
  private stopped = false;
  /** Hosts whose state could not be read the last time. */
  private readonly unreadable = new Set<string>();

  constructor(private readonly parts: ReporterParts) {
    parts.hosts.onChange(() => this.wakeIn(this.untilNext()));
  }

  /** From now on a heartbeat every interval. */
  start(): void {
    this.heartbeatAt = this.parts.clock.now() + this.parts.intervalMs;
    this.wakeIn(this.parts.intervalMs);
  }

  /** Tells what has changed without waiting for more; what cannot be told now the next report tells. */
  async tellNow(): Promise<void> {
    this.cancel();
    await this.wake();
  }

  stop(): void {
    this.stopped = true;
    this.cancel();
  }

  /** Soon where nothing was told for a while, else when the gap is over. */
  private untilNext(): number {
    return Math.max(DEBOUNCE_MS, this.toldAt + GAP_MS - this.parts.clock.now());
  }

  private wakeIn(ms: number): void {
    const at = this.parts.clock.now() + ms;
    if (this.stopped || at >= this.wakesAt) return;
    this.cancel();
    this.wakesAt = at;
    this.cancel = this.parts.clock.after(ms, () => void this.wake());
  }

  private async wake(): Promise<void> {
    this.wakesAt = Infinity;
    if (!this.sending) {
      this.sending = true;
      await this.report();
      this.sending = false;
    }
    this.wakeIn(Math.max(this.heartbeatAt - this.parts.clock.now(), this.untilNext()));
  }

  private async report(): Promise<void> {
    const { agentId, incarnation, hosts, conductor, news, newContext, logger } = this.parts;
    const heartbeat = this.parts.clock.now() >= this.heartbeatAt;
    if (heartbeat) this.heartbeatAt = this.parts.clock.now() + this.parts.intervalMs;
    const taken = hosts.takeChanged();
    if (!heartbeat && taken.length === 0) return;
    this.toldAt = this.parts.clock.now();
    const states = await this.read(taken);
    const changed = taken.filter(({ host }) => states.has(host));
    hosts.giveBack(taken.filter(({ host }) => !states.has(host)));
    const alive = (heartbeat ? hosts.serving() : changed).filter(({ host }) => !this.unreadable.has(host));
    if (alive.length === 0) return;
    try {
      const report: HostReport = {
        agentId,
        incarnation,
        seq: ++this.seq,
        alive: alive.map((h) => h.host),
        changed: [...states.values()],
      };
      const ctx = newContext();
      // each may fail alone: a scheduler that missed it sees the gap, conductor must have it
      const heard = news
        .hosts(ctx, report)
        .catch((err: unknown) => logger.warn({ err }, 'schedulers could not be told of hosts'));
      await conductor.hostReport(ctx, report);
      await heard;
      for (const host of changed) host.announced = true;
    } catch (err) {
      if (this.stopped) return;
      hosts.giveBack(changed);
      logger.warn({ err }, 'conductor could not be told of hosts; the next report will tell');
    }
  }

  /** The states of those that can be read. */
  private async read(hosts: readonly AgentHost[]): Promise<Map<string, HostState>> {
    const { driver, tracker, logger } = this.parts;
    const states = new Map<string, HostState>();
    const one = async (of: AgentHost): Promise<void> => {
      const { host } = of;
      try {
        states.set(host, await readHostState(driver, tracker, of));
        if (this.unreadable.delete(host)) logger.info({ host }, 'the host can be read again: it is told of as alive');
      } catch (err) {
        if (!this.unreadable.has(host))
          logger.warn({ err, host }, 'the host cannot be read: it is not told of as alive');
        this.unreadable.add(host);
      }
    };
    await Promise.all(hosts.map(one));
    return states;
  }
}
