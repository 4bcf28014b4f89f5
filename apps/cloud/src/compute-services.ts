import { ComputeAgentConfig, startComputeAgent, type RunningComputeAgent } from '@fractus/app-compute-agent';
import { ComputeApiConfig, startComputeApi } from '@fractus/app-compute-api';
import { ConductorConfig, startConductor } from '@fractus/app-conductor';
import { openPlacementDatabase, PlacementConfig, startPlacement } from '@fractus/app-placement';
import { SchedulerConfig, startScheduler } from '@fractus/app-scheduler';
import { IdentityClient, ImageClient, NetworkClient, type ServiceSession } from '@fractus/clients';
import { openComputeDatabase } from '@fractus/compute-db';
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

async function conductorAndScheduler({ plan, base, transport, database, nova }: Common): Promise<void> {
  const { metrics } = base;
  base.keep(
    await startConductor({
      config: base.config(ConductorConfig, 'conductor', {}, plan.configs?.conductor),
      database,
      transport,
      network: new NetworkClient({ session: nova }),
      logger: base.logger('conductor'),
      metrics,
    }),
  );
  base.keep(
    await startScheduler({
      config: base.config(SchedulerConfig, 'scheduler', {}, plan.configs?.scheduler),
      database,
      transport,
      logger: base.logger('scheduler'),
      metrics,
    }),
  );
}

async function computeAgent({ plan, base, transport }: Common): Promise<RunningComputeAgent> {
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
    }),
  );
}

async function computeApi({ plan, base, neighbours, transport, database, nova }: Common): Promise<string> {
  const fixed = { host: plan.bind, port: plan.ports.compute };
  const service = await startComputeApi({
    config: base.config(ComputeApiConfig, 'compute-api', fixed, plan.configs?.computeApi),
    database,
    transport,
    clients: {
      identity: new IdentityClient({ session: nova }),
      images: new ImageClient({ session: nova }),
      networks: new NetworkClient({ session: nova }),
      tokens: { validate: neighbours.validate, identityUri: neighbours.authUrl },
    },
    logger: base.logger('compute-api'),
    metrics: base.metrics,
    ...(plan.observe ? { observe: plan.observe } : {}),
  });
  return base.keep(service).url ?? '';
}
