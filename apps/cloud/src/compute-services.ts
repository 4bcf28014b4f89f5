import { ComputeAgentConfig, startComputeAgent, type RunningComputeAgent } from '@fractus/app-compute-agent';
import { ComputeApiConfig, startComputeApi } from '@fractus/app-compute-api';
import { ConductorConfig, startConductor } from '@fractus/app-conductor';
import { openPlacementDatabase, PlacementConfig, startPlacement } from '@fractus/app-placement';
import { SchedulerConfig, startScheduler } from '@fractus/app-scheduler';
import {
  IdentityClient,
  ImageClient,
  NetworkClient,
  openPlacementElsewhere,
  type PlacementAtConfig,
  type PlacementClient,
  type ServiceSession,
} from '@fractus/clients';
import { openComputeDatabase, TaskLeases } from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import { createInProcessTransport, type InProcessTransport } from '@fractus/rpc';
import type { CloudBase } from './cloud-base';
import type { Neighbours } from './neighbours';
import type { CloudPlan } from './plan';

export interface ComputeServices {
  readonly computeUrl: string;
  readonly placementUrl: string;
  readonly agent: RunningComputeAgent;
  readonly computeDatabase: Database;
  readonly placementDatabase: Database;
  /** Compute's own session at the neighbours. */
  readonly nova: ServiceSession;
}

/** What the compute services share. */
interface Common {
  readonly plan: CloudPlan;
  readonly base: CloudBase;
  readonly neighbours: Neighbours;
  readonly transport: InProcessTransport;
  readonly database: Database;
  readonly nova: ServiceSession;
}

/** Starts Placement, conductor, scheduler, the agent and the Compute API, on one transport. */
export async function startComputeServices(
  plan: CloudPlan,
  base: CloudBase,
  neighbours: Neighbours,
): Promise<ComputeServices> {
  const transport = createInProcessTransport({ logger: base.logger('rpc') });
  base.closeLater(() => transport.close());
  const database = base.keepDatabase(await openComputeDatabase({ url: base.databaseUrl('compute') }));
  const common: Common = { plan, base, neighbours, transport, database, nova: neighbours.session(database) };
  const placementDatabase = base.keepDatabase(await openPlacementDatabase({ url: base.databaseUrl('placement') }));
  const placementUrl = await placement(common, placementDatabase);
  await conductorAndScheduler(common);
  const agent = await computeAgent(common);
  const computeUrl = await computeApi(common);
  return { computeUrl, placementUrl, agent, computeDatabase: database, placementDatabase, nova: common.nova };
}

async function placement({ plan, base, neighbours, transport }: Common, database: Database): Promise<string> {
  const fixed = {
    host: plan.bind,
    port: plan.ports.placement,
    databaseUrl: base.databaseUrl('placement'),
    auth: { url: neighbours.authUrl },
  };
  const service = await startPlacement({
    config: base.config(PlacementConfig, 'placement', fixed, plan.configs?.placement),
    database,
    transport,
    tokens: { validate: neighbours.validate, identityUri: neighbours.authUrl },
    logger: base.logger('placement'),
    metrics: base.metrics,
  });
  return base.keep(service).url ?? '';
}

/** A Placement elsewhere, for a service whose options name one. */
async function elsewhere(
  { base, database, nova }: Common,
  config: Readonly<PlacementAtConfig>,
  service: string,
): Promise<{ placement?: PlacementClient }> {
  if (config.endpoint === undefined) return {};
  const leases = new TaskLeases(database);
  return openPlacementElsewhere(async (_part, open) => open(), {
    config,
    session: nova,
    fenceOf: (serverId) => leases.highestFence(serverId),
    assertOutsideTransaction: (what) => database.assertOutsideTransaction(what),
    logger: base.logger(service),
  });
}

async function conductorAndScheduler(common: Common): Promise<void> {
  const { plan, base, transport, database, nova } = common;
  const { metrics } = base;
  const conductor = base.config(ConductorConfig, 'conductor', {}, plan.configs?.conductor);
  const scheduler = base.config(SchedulerConfig, 'scheduler', {}, plan.configs?.scheduler);
  base.keep(
    await startConductor({
      config: conductor,
      database,
      transport,
      network: new NetworkClient({ session: nova }),
      logger: base.logger('conductor'),
      metrics,
      ...(await elsewhere(common, conductor.placement, 'conductor')),
    }),
  );
  base.keep(
    await startScheduler({
      config: scheduler,
      database,
      transport,
      logger: base.logger('scheduler'),
      metrics,
      ...(await elsewhere(common, scheduler.placement, 'scheduler')),
    }),
  );
}

async function computeAgent(common: Common): Promise<RunningComputeAgent> {
  const { plan, base, transport } = common;
  const fixed = {
    stateDir: plan.file('agent'),
    hostCount: plan.hosts,
    simulated: { profile: plan.simProfile },
  };
  const config = base.config(ComputeAgentConfig, 'compute-agent', fixed, plan.configs?.agent);
  return base.keep(
    await startComputeAgent({
      config,
      // under its own name, so that conductor can tell whose report it reads
      transport: transport.connect({ user: config.agentId }),
      logger: base.logger('compute-agent'),
      metrics: base.metrics,
      ...(await elsewhere(common, config.placement, 'compute-agent')),
    }),
  );
}

async function computeApi(common: Common): Promise<string> {
  const { plan, base, neighbours, transport, database, nova } = common;
  const fixed = { host: plan.bind, port: plan.ports.compute };
  const config = base.config(ComputeApiConfig, 'compute-api', fixed, plan.configs?.computeApi);
  const service = await startComputeApi({
    config,
    database,
    transport,
    clients: {
      identity: new IdentityClient({ session: nova }),
      images: new ImageClient({ session: nova }),
      networks: new NetworkClient({ session: nova }),
      ...(await elsewhere(common, config.placement, 'compute-api')),
      tokens: { validate: neighbours.validate, identityUri: neighbours.authUrl },
    },
    logger: base.logger('compute-api'),
    metrics: base.metrics,
    ...(plan.observe ? { observe: plan.observe } : {}),
  });
  return base.keep(service).url ?? '';
}
