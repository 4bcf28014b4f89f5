/**
 * The whole cloud in one process: the composition root of the embedded default. Every app is started as it would be in
 * a process of its own; only the providers differ: SQLite files instead of a database server, the in-process transport
 * instead of a broker, and identity's revocations told at once instead of being asked for.
 */
import {
  startIdentity,
  startImage,
  startNetwork,
  IdentityConfig,
  ImageConfig,
  NetworkConfig,
  type RunningIdentity,
} from '@fractus/app-companions';
import { ComputeApiConfig, type ComputeApiDeps, startComputeApi } from '@fractus/app-compute-api';
import { ComputeAgentConfig, startComputeAgent, type RunningComputeAgent } from '@fractus/app-compute-agent';
import { ConductorConfig, startConductor } from '@fractus/app-conductor';
import { openPlacementDatabase, PlacementConfig, startPlacement } from '@fractus/app-placement';
import { SchedulerConfig, startScheduler } from '@fractus/app-scheduler';
import { IdentityClient, ImageClient, NetworkClient, ServiceSession, TokenValidator } from '@fractus/clients';
import { openComputeDatabase } from '@fractus/compute-db';
import { loadConfig, type DeepPartial } from '@fractus/config';
import type { Database } from '@fractus/database';
import { systemContext } from '@fractus/objects';
import { createInProcessTransport } from '@fractus/rpc';
import {
  createLogger,
  createMetrics,
  type Logger,
  type LogLevel,
  type ReadyCheck,
  type RunningService,
} from '@fractus/telemetry';
import { portsFrom, type ServedName } from './ports';
import { seedFlavors, seedOnce } from './seed';
import type { Secrets } from './state-dir';

export { parseOptions } from './options';
export { StateDir, type Secrets } from './state-dir';

export type SimProfile = 'default' | 'instant' | 'slow';

export interface CloudPlan {
  /** Where databases, images and the simulated hypervisors live. */
  file(...parts: string[]): string;
  secrets: Secrets;
  bind: string;
  /** Port by service; 0 takes a free one. */
  ports: Record<ServedName, number>;
  hosts: number;
  simProfile: SimProfile;
  logLevel: LogLevel;
  /** Log file; none logs nowhere. */
  logFile?: string;
  /** What tests change in the services' configs. */
  configs?: {
    identity?: DeepPartial<IdentityConfig>;
    conductor?: DeepPartial<ConductorConfig>;
    scheduler?: DeepPartial<SchedulerConfig>;
    agent?: DeepPartial<ComputeAgentConfig>;
    placement?: DeepPartial<PlacementConfig>;
    computeApi?: DeepPartial<ComputeApiConfig>;
  };
  /** Sees every answer of the Compute API; tests keep count of what they covered. */
  observe?: ComputeApiDeps['observe'];
}

export interface RunningCloud {
  /** Base URL by service. */
  readonly urls: Record<ServedName, string>;
  readonly agent: RunningComputeAgent;
  readonly computeDatabase: Database;
  readonly placementDatabase: Database;
  ready(): Promise<ReadyCheck[]>;
  close(): Promise<void>;
}

/** Latencies in milliseconds of the simulated hypervisor's operations. */
const LATENCY: Record<SimProfile, Record<string, number>> = {
  default: {},
  instant: { spawn: 0, destroy: 0, start: 0, stop: 0, reboot: 0, pause: 0, unpause: 0, suspend: 0, resume: 0 },
  slow: { spawn: 5000, destroy: 2000, start: 1500, stop: 3000, reboot: 3000, suspend: 2000, resume: 2000 },
};

/** Starts everything; on any failure stops what had started and throws. */
export async function startCloud(plan: CloudPlan): Promise<RunningCloud> {
  const undo: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const stop of undo.reverse()) await stop();
    undo.length = 0;
  };
  try {
    return await compose(plan, undo, closeAll);
  } catch (e) {
    await closeAll();
    throw e;
  }
}

async function compose(
  plan: CloudPlan,
  undo: (() => Promise<void>)[],
  closeAll: () => Promise<void>,
): Promise<RunningCloud> {
  const { bind: host, ports, secrets } = plan;
  const metrics = createMetrics({ process: true });
  const log = (service: string): Logger =>
    createLogger({
      service,
      level: plan.logFile ? plan.logLevel : 'silent',
      ...(plan.logFile ? { destination: plan.logFile } : {}),
    });
  const database = (name: string): string => `sqlite:${plan.file('databases', `${name}.db`)}`;
  const services: RunningService[] = [];
  const keep = <S extends RunningService>(service: S): S => {
    services.push(service);
    undo.push(() => service.close());
    return service;
  };

  const identity = keep(
    await startIdentity({
      config: loadConfig<IdentityConfig>(IdentityConfig, {
        overrides: {
          host,
          port: ports.identity,
          databaseUrl: database('identity'),
          tokenKeyFile: plan.file('keys', 'tokens'),
          ...plan.configs?.identity,
        },
      }),
      logger: log('identity'),
      metrics,
    }),
  );
  await identity.bootstrap(bootstrapOf(plan, identity.url));
  const authUrl = `${identity.url.replace(/\/$/, '')}/v3`;
  const session = (username: string, db?: Database): ServiceSession =>
    new ServiceSession({
      authUrl,
      credentials: { username, password: secrets.servicePassword, projectName: 'service' },
      region: 'RegionOne',
      interface: 'public',
      ...(db ? { assertOutsideTransaction: (what: string) => db.assertOutsideTransaction(what) } : {}),
    });
  const tokens = tokensOf(identity, session('nova'));
  const validate = tokens.validate.bind(tokens);

  const [image, network] = await Promise.all([
    startImage({
      config: loadConfig<ImageConfig>(ImageConfig, {
        overrides: { host, port: ports.image, databaseUrl: database('image'), dataFolder: plan.file('images') },
      }),
      validate,
      identityUri: authUrl,
      logger: log('image'),
      metrics,
    }).then(keep),
    startNetwork({
      config: loadConfig<NetworkConfig>(NetworkConfig, {
        overrides: { host, port: ports.network, databaseUrl: database('network') },
      }),
      validate,
      identityUri: authUrl,
      logger: log('network'),
      metrics,
    }).then(keep),
  ]);

  const transport = createInProcessTransport({ logger: log('rpc') });
  undo.push(() => transport.close());
  const computeDatabase = await openComputeDatabase({ url: database('compute') });
  undo.push(() => computeDatabase.close());
  const nova = session('nova', computeDatabase);
  const images = new ImageClient({ session: nova });
  const networks = new NetworkClient({ session: nova });

  const placementDatabase = await openPlacementDatabase({ url: database('placement') });
  undo.push(() => placementDatabase.close());
  const placement = keep(
    await startPlacement({
      config: loadConfig<PlacementConfig>(PlacementConfig, {
        overrides: {
          host,
          port: ports.placement,
          databaseUrl: database('placement'),
          ...plan.configs?.placement,
          auth: { url: authUrl },
        },
      }),
      database: placementDatabase,
      transport,
      tokens: { validate, identityUri: authUrl },
      logger: log('placement'),
      metrics,
    }),
  );
  keep(
    await startConductor({
      config: loadConfig<ConductorConfig>(ConductorConfig, { overrides: { ...plan.configs?.conductor } }),
      database: computeDatabase,
      transport,
      network: networks,
      logger: log('conductor'),
      metrics,
    }),
  );
  keep(
    await startScheduler({
      config: loadConfig<SchedulerConfig>(SchedulerConfig, { overrides: { ...plan.configs?.scheduler } }),
      database: computeDatabase,
      transport,
      logger: log('scheduler'),
      metrics,
    }),
  );
  const agent = keep(
    await startComputeAgent({
      config: loadConfig<ComputeAgentConfig>(ComputeAgentConfig, {
        overrides: {
          stateDir: plan.file('agent'),
          hostCount: plan.hosts,
          simulated: { latency: LATENCY[plan.simProfile] },
          ...plan.configs?.agent,
        },
      }),
      // under its own name, so that conductor can tell whose report it reads
      transport: transport.connect({ user: 'agent-1' }),
      logger: log('compute-agent'),
      metrics,
    }),
  );
  const compute = keep(
    await startComputeApi({
      config: loadConfig<ComputeApiConfig>(ComputeApiConfig, {
        overrides: { host, port: ports.compute, ...plan.configs?.computeApi },
      }),
      database: computeDatabase,
      transport,
      clients: {
        identity: new IdentityClient({ session: nova }),
        images,
        networks,
        tokens: { validate, identityUri: authUrl },
      },
      logger: log('compute-api'),
      metrics,
      ...(plan.observe ? { observe: plan.observe } : {}),
    }),
  );
  await seedOnce(plan.file('seeded'), async () => {
    const { projectId } = await nova.self(systemContext('req-seed'));
    await seedFlavors(computeDatabase);
    await image.seed({ name: 'cirros-sim', owner: projectId });
    await network.seed({ name: 'private', projectId: projectId ?? '', cidr: '10.0.0.0/16', shared: true });
    await network.seed({ name: 'public', projectId: projectId ?? '', cidr: '172.24.4.0/24', external: true });
  });

  const urls = {
    identity: identity.url,
    image: image.url,
    network: network.url,
    placement: placement.url,
    compute: compute.url,
  } as Record<ServedName, string>;
  return {
    urls,
    agent,
    computeDatabase,
    placementDatabase,
    ready: async () =>
      (
        await Promise.all(
          services.map(async (s) => (await s.ready()).map((c) => ({ ...c, part: `${s.name}: ${c.part}` }))),
        )
      ).flat(),
    close: closeAll,
  };
}

function tokensOf(identity: RunningIdentity, session: ServiceSession): TokenValidator {
  return new TokenValidator({ session, onRevocation: (listener) => identity.onRevocation(listener) });
}

function bootstrapOf(
  { bind, ports, secrets }: CloudPlan,
  identityUrl: string,
): Parameters<RunningIdentity['bootstrap']>[0] {
  const host = bind.includes(':') ? `[${bind}]` : bind === '0.0.0.0' ? '127.0.0.1' : bind;
  const at = (name: ServedName, path = ''): string => `http://${host}:${ports[name]}${path}`;
  return {
    adminPassword: secrets.adminPassword,
    demoPassword: secrets.demoPassword,
    serviceUsers: { nova: secrets.servicePassword, placement: secrets.servicePassword },
    endpoints: {
      identity: `${identityUrl.replace(/\/$/, '')}/v3`,
      compute: at('compute', '/v2.1'),
      placement: at('placement'),
      image: at('image'),
      network: at('network'),
    },
  };
}

/** Every port that the cloud listens on, from the base. */
export function servedPorts(base: number): Record<ServedName, number> {
  const { identity, image, network, placement, compute } = portsFrom(base);
  return { identity, image, network, placement, compute };
}
