/** The objects of one conductor, put together by hand: singletons, no magic. */
import type { Database } from '@fractus/database';
import {
  DutiesRepository,
  HostsRepository,
  QuotaUsagesRepository,
  ServerOperations,
  ScheduleAttemptsRepository,
  ServersRepository,
  SightingsRepository,
  TaskLeases,
  TasksRepository,
} from '@fractus/compute-db';
import type { Client, HostClient, computeContract, placementContract, schedulerContract } from '@fractus/rpc-contracts';
import type { Logger, Metrics } from '@fractus/telemetry';
import type { ConductorConfig } from './conductor.config';
import type { TaskDefinition, TaskTools } from './engine/task-definition';
import { type EngineOptions, TaskEngine } from './engine/task-engine';
import { Guests } from './handlers/guests';
import { Hosts } from './handlers/hosts';
import { Operations } from './handlers/operations';
import { Patience } from './handlers/patience';
import { Senders } from './handlers/senders';
import type { NetworkPorts } from './network-ports';
import { Presence } from './presence';
import { RECONCILERS } from './reconcilers';
import { Passes } from './reconcilers/passes';
import { TASKS } from './tasks';

export interface ConductorPeers {
  readonly scheduler: Client<typeof schedulerContract>;
  readonly compute: HostClient<typeof computeContract>;
  readonly placement: Client<typeof placementContract>;
  readonly network: NetworkPorts;
}
export interface PartsOptions {
  readonly config: ConductorConfig;
  readonly database: Database;
  readonly peers: ConductorPeers;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  readonly clock?: () => number;
  /** Of this life of the process; default: now. */
  readonly incarnation?: number;
  readonly probe?: EngineOptions['probe'];
  /** For harnesses: tasks in place of the real ones. */
  readonly tasks?: readonly TaskDefinition[];
}

export class ConductorParts {
  readonly tools: TaskTools;
  readonly engine: TaskEngine;
  readonly operations: Operations;
  readonly guests: Guests;
  readonly hosts: Hosts;
  readonly patience: Patience;
  readonly presence: Presence;
  readonly sightings: SightingsRepository;
  readonly reconcilers: Passes;

  /** Of this life of the process. */
  readonly incarnation: number;

  constructor(readonly options: PartsOptions) {
    const { config, database, peers, logger, clock = Date.now, probe, tasks = TASKS } = options;
    this.incarnation = options.incarnation ?? clock();
    const hosts = new HostsRepository(database);
    this.tools = {
      ...peers,
      servers: new ServersRepository(database),
      attempts: new ScheduleAttemptsRepository(database),
      tasks: new TasksRepository(database),
      leases: new TaskLeases(database),
      operations: new ServerOperations(database, { clock }),
      quota: new QuotaUsagesRepository(database),
      hosts,
      clock,
      logger,
      settings: {
        maxBuildAttempts: config.maxBuildAttempts,
        alternates: config.maxBuildAttempts - 1,
        shutdownTimeoutSeconds: config.shutdownTimeoutSeconds,
        troubleMs: config.troubleSeconds * 1000,
        serviceDownMs: config.serviceDownSeconds * 1000,
      },
    };
    const hint = (taskId: string): void => this.engine.hint(taskId);
    const senders = new Senders(hosts, logger, options.metrics);
    this.operations = new Operations(
      database,
      this.tools,
      senders,
      (id, change) => this.engine.answer(id, change),
      (ctx, event) => this.guests.event(ctx, event),
    );
    this.guests = new Guests(database, this.tools, senders, hint);
    const engine: EngineOptions = {
      instance: config.instance,
      incarnation: this.incarnation,
      leaseMs: config.leaseMs,
      pollMs: config.pollMs,
      concurrency: config.taskConcurrency,
      undoCapMs: config.undoCapMs,
      ...(probe ? { probe } : {}),
    };
    this.engine = new TaskEngine(database, this.tools, tasks, engine, async (tx, event) => {
      await this.guests.follow(tx, event);
    });
    this.hosts = new Hosts(hosts, senders, clock, logger);
    this.patience = new Patience({ logger, clock });
    this.sightings = new SightingsRepository(database);
    this.presence = new Presence({
      hosts,
      instance: config.instance,
      incarnation: this.incarnation,
      downMs: config.serviceDownSeconds * 1000,
      clock,
      logger,
    });
    this.reconcilers = new Passes({
      reconcilers: RECONCILERS.map((make) => make(this)),
      duties: new DutiesRepository(database),
      owner: this.engine.keeper.owner,
      everyMs: config.reconcileSeconds * 1000,
      clock,
      logger,
    });
  }
}
