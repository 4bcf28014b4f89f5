/**
 * One agent process: its parts, and the order in which they come up and go down. What each does is written where it
 * stands; docs/adr/0009-agent-journal.md says why it is done so.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { PlacementClient } from '@fractus/clients';
import { systemContext, type RequestContext } from '@fractus/objects';
import { rpcClient, rpcReady, type RpcServing, type RpcTransport } from '@fractus/rpc';
import {
  conductorContract,
  placementContract,
  schedulerNews,
  type Client,
  type GuestEvent,
  type OperationProgress,
} from '@fractus/rpc-contracts';
import type { Logger, Metrics, ReadyCheck } from '@fractus/telemetry';
import type { Clock, GuestChange, VirtDriver } from '@fractus/virt';
import type { RpcParts } from './compute.rpc';
import type { ComputeAgentConfig } from './config';
import { HostLifecycle } from './hosts/host-lifecycle';
import { HostRegistry } from './hosts/host-registry';
import { HostReporter } from './hosts/host-reporter';
import { Journal, type Report } from './journal/journal';
import { Periodic, type PeriodicJob } from './periodic';
import { Outbox } from './reports/outbox';
import { ResourceTracker } from './resource-tracker/resource-tracker';
import { OperationRunner } from './runner/operation-runner';

export interface AgentParts {
  readonly config: ComputeAgentConfig;
  readonly driver: VirtDriver;
  readonly transport: RpcTransport;
  /** Placement, where it is elsewhere; without it ours, over the transport. */
  readonly placement?: PlacementClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const HOUR_MS = 3_600_000;
const newContext = (): RequestContext => systemContext(`req-${randomUUID()}`);

export class ComputeAgent {
  private readonly down = new AbortController();
  private readonly conductor: Client<typeof conductorContract>;
  private readonly tracker: ResourceTracker;
  private readonly reports: Outbox<Report>;
  private readonly events: Outbox<GuestEvent>;
  private readonly runner: OperationRunner;
  private readonly reporter: HostReporter;
  private readonly incarnation: number;
  private readonly unsubscribe: () => void;
  private serving: RpcServing | null = null;
  private periodic: Periodic | null = null;
  private lifecycle: Promise<void> = Promise.resolve();

  static async open(parts: AgentParts): Promise<ComputeAgent> {
    const { config, clock, logger } = parts;
    const journal = new Journal({
      path: join(config.stateDir, 'journal.db'),
      now: () => clock.now(),
      onFailure: (err) => logger.error({ err }, 'the journal could not be written'),
    });
    return new ComputeAgent(parts, journal, await HostRegistry.open(parts.driver, journal));
  }

  private constructor(
    private readonly parts: AgentParts,
    private readonly journal: Journal,
    private readonly hosts: HostRegistry,
  ) {
    const { config, driver, transport, clock, logger, metrics } = parts;
    const { cpu, ram, disk } = config.allocationRatio;
    this.incarnation = journal.beginLife();
    this.conductor = rpcClient(transport, conductorContract, { metrics });
    const placement = parts.placement ?? rpcClient(transport, placementContract, { metrics });
    const ratios = { VCPU: cpu, MEMORY_MB: ram, DISK_GB: disk };
    this.tracker = new ResourceTracker({
      driver,
      placement,
      ratios,
      excludeImageTypes: config.imageTypeExcludeList,
      logger,
    });
    this.reports = this.reportOutbox();
    this.events = new Outbox({
      what: 'an event of a guest',
      send: (e) => this.conductor.guestEvent(newContext(), e),
      clock,
      logger,
    });
    const sendProgress = (p: OperationProgress, requestId: string): void => this.tellProgress(p, requestId);
    this.runner = new OperationRunner({
      driver,
      journal,
      hosts,
      reports: this.reports,
      sendProgress,
      maxPerHost: config.maxOperationsPerHost,
      clock,
      logger,
      metrics,
    });
    this.reporter = new HostReporter({
      ...this.identity(),
      intervalMs: config.reportIntervalSeconds * 1000,
      driver,
      hosts,
      tracker: this.tracker,
      conductor: this.conductor,
      news: rpcClient(transport, schedulerNews, { metrics }),
      newContext,
      clock,
      logger,
    });
    this.unsubscribe = driver.onGuestChange((change) => this.guestChanged(change));
    this.measure();
  }

  /** What the RPC handlers need. */
  get rpcParts(): RpcParts {
    return { runner: this.runner, hosts: this.hosts, tracker: this.tracker, driver: this.parts.driver };
  }

  /** Tells what was left untold, and brings the hosts into service in the background. */
  start(serving: RpcServing): void {
    const { clock, logger, driver } = this.parts;
    this.serving = serving;
    for (const report of this.journal.unreported()) this.reports.push(report.key, report);
    const { journal, hosts, tracker, conductor } = this;
    const lifecycle = new HostLifecycle({
      ...this.identity(),
      driver,
      journal,
      hosts,
      tracker,
      conductor,
      serving,
      newContext,
      clock,
      logger,
      signal: this.down.signal,
      tellNow: () => this.reporter.tellNow(),
    });
    this.lifecycle = lifecycle
      .run()
      .catch((err: unknown) => logger.error({ err }, 'hosts could not be brought into service'));
    this.reporter.start();
    this.periodic = new Periodic(clock, logger, this.jobs());
  }

  async ready(): Promise<ReadyCheck[]> {
    // a host that nobody was told of gets no server yet
    const waiting = this.hosts.all().filter((h) => !h.announced).length;
    const { placement, transport } = this.parts;
    return [
      rpcReady(transport),
      waiting === 0
        ? { part: 'hosts', ok: true }
        : { part: 'hosts', ok: false, why: `${waiting} of ${this.hosts.size} hosts are not yet in service` },
      ...(placement ? [await placement.ready()] : []),
    ];
  }

  /** Takes nothing more, lets operations end, tells their results, closes. Guests stay as they are. */
  async close(): Promise<void> {
    this.quiet();
    await this.serving?.close();
    await this.runner.close(this.parts.config.drainSeconds * 1000);
    await this.lifecycle;
    this.reports.close();
    this.events.close();
    this.journal.close();
  }

  /** Ends as `kill -9` would: nothing is drained, and what was not committed is lost. */
  async kill(): Promise<void> {
    this.quiet();
    this.reports.close();
    this.events.close();
    this.runner.kill();
    this.journal.crash();
    await this.serving?.kill();
    await this.lifecycle;
  }

  private quiet(): void {
    this.down.abort();
    this.unsubscribe();
    this.periodic?.stop();
    this.reporter.stop();
  }

  private identity() {
    return { agentId: this.parts.config.agentId, incarnation: this.incarnation };
  }

  private reportOutbox(): Outbox<Report> {
    return new Outbox<Report>({
      what: 'the result of an operation',
      send: ({ finished, requestId }) => this.conductor.operationFinished(systemContext(requestId), finished),
      sent: ({ key, finished }) => this.journal.markReported(key, finished.operation.fence),
      clock: this.parts.clock,
      logger: this.parts.logger,
    });
  }

  /** A lost sign of life is made up for by the next. */
  private tellProgress(progress: OperationProgress, requestId: string): void {
    this.conductor
      .operationProgress(systemContext(requestId), progress)
      .catch((err: unknown) => this.parts.logger.debug({ err }, 'progress could not be told'));
  }

  private guestChanged({ host, serverId, fence, powerState, at }: GuestChange): void {
    this.hosts.changed(host);
    this.parts.logger.info({ host, server_id: serverId, power_state: powerState }, 'a guest changed by itself');
    this.events.push(serverId, {
      host,
      serverId,
      fence: Math.max(fence, this.journal.fenceOf(serverId)),
      powerState,
      at,
    });
  }

  private jobs(): PeriodicJob[] {
    const { config, clock } = this.parts;
    return [
      {
        name: 'looking at resources',
        everyMs: config.resourceIntervalSeconds * 1000,
        run: () => this.tracker.syncChanged(newContext(), this.hosts.serving()),
      },
      {
        name: 'comparing with placement',
        everyMs: config.placementRefreshSeconds * 1000,
        run: () => this.tracker.sync(newContext(), this.hosts.serving()),
      },
      {
        name: 'tidying the journal',
        everyMs: HOUR_MS,
        run: async () => void this.journal.compact(clock.now() - config.journalRetentionHours * HOUR_MS),
      },
    ];
  }

  private measure(): void {
    const { metrics } = this.parts;
    const gauge = (name: string, help: string, read: () => number): void => {
      metrics.gauge(name, help, [], function collect() {
        this.set(read());
      });
    };
    gauge('fractus_agent_hosts', 'Hosts of this process', () => this.hosts.size);
    gauge(
      'fractus_agent_hosts_serving',
      'Hosts of this process that consume messages',
      () => this.hosts.serving().length,
    );
    gauge('fractus_agent_operations', 'Operations accepted and not finished', () => this.runner.underWay);
    gauge('fractus_agent_reports_pending', 'Results that the transport has not taken yet', () => this.reports.pending);
  }
}
