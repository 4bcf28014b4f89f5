/**
 * Placement: an inventory of what the cloud has and who holds it. REST (microversions 1.0–1.39) and the `placement` RPC
 * contract, over one domain engine and a database of its own.
 */
import { type DynamicModule, Module } from '@nestjs/common';
import { TokenValidator } from '@fractus/clients';
import type { Database } from '@fractus/database';
import { type HttpApp, type TokenOptions, createHttpApp, noauth } from '@fractus/http';
import { operationsOf } from '@fractus/microversions';
import { type Enforcer, createEnforcer, placementRules } from '@fractus/policy';
import { rpcReady, type RpcServing, type RpcTransport, serveRpc } from '@fractus/rpc';
import { placementContract } from '@fractus/rpc-contracts';
import type { Logger, Metrics, ReadyCheck, RunningService } from '@fractus/telemetry';
import { AggregatesController } from './api/aggregates.controller';
import { AllocationsController } from './api/allocations.controller';
import { CandidatesController } from './api/candidates.controller';
import { PlacementEdge } from './api/edge';
import { placementFaults } from './api/faults';
import { InventoriesController } from './api/inventories.controller';
import { installPreRouting } from './api/pre-routing';
import { ProvidersController } from './api/providers.controller';
import { ReshaperController } from './api/reshaper.controller';
import { ResourceClassesController } from './api/resource-classes.controller';
import { RootController } from './api/root.controller';
import { ENFORCER } from './api/tokens';
import { TraitsController } from './api/traits.controller';
import { UsagesController } from './api/usages.controller';
import type { PlacementConfig } from './config';
import { EstateReplica } from './replica/estate-replica';
import { PlacementRpcController } from './rpc/placement-rpc.controller';
import { AggregatesService } from './services/aggregates.service';
import { AllocationsService } from './services/allocations.service';
import { CandidatesService } from './services/candidates.service';
import { InventoriesService } from './services/inventories.service';
import { PlacementCore } from './services/placement-core';
import { ProviderUpdatesService } from './services/provider-updates.service';
import { ProvidersService } from './services/providers.service';
import { ReshaperService } from './services/reshaper.service';
import { ResourceClassesService } from './services/resource-classes.service';
import { TraitsService } from './services/traits.service';
import { UsagesService } from './services/usages.service';
import { trimChangeLog } from './store/change-log';
import { trimFences } from './store/consumers';
import { seedPlacement } from './store/placement-database';

export { PlacementConfig } from './config';
export {
  PLACEMENT_ENTITIES,
  PLACEMENT_MIGRATIONS,
  PLACEMENT_SCHEMA,
  openPlacementDatabase,
  renewEpoch,
  seedPlacement,
} from './store/placement-database';

export interface PlacementDeps {
  config: PlacementConfig;
  /** Placement's own, opened with `openPlacementDatabase`. Whoever opened it closes it. */
  database: Database;
  /** Serves the RPC contract, where there is one. */
  transport?: RpcTransport;
  logger: Logger;
  metrics: Metrics;
  /** How tokens are checked; without it, as the config says. */
  tokens?: TokenOptions;
}

/** Every operation of the API. */
const CONTROLLERS = [
  RootController,
  ProvidersController,
  InventoriesController,
  UsagesController,
  AggregatesController,
  TraitsController,
  ResourceClassesController,
  AllocationsController,
  CandidatesController,
  ReshaperController,
];

@Module({})
export class PlacementModule {
  static with(core: PlacementCore, enforcer: Enforcer): DynamicModule {
    return {
      module: PlacementModule,
      controllers: [...CONTROLLERS, PlacementRpcController],
      providers: [
        { provide: PlacementCore, useValue: core },
        { provide: ENFORCER, useValue: enforcer },
        ProvidersService,
        InventoriesService,
        TraitsService,
        ResourceClassesService,
        AggregatesService,
        AllocationsService,
        CandidatesService,
        UsagesService,
        ReshaperService,
        ProviderUpdatesService,
      ],
    };
  }
}

const TRIM_EVERY_MS = 60_000;
/** A week: far beyond the life of any task. */
const FENCE_LIFE_MS = 7 * 24 * 3600 * 1000;
const SERVICE = 'placement';

/** Starts placement; resolves when it serves. */
export async function startPlacement(deps: PlacementDeps): Promise<RunningService> {
  const { config, database, logger, metrics } = deps;
  await seedPlacement(database);
  const core = new PlacementCore(database, new EstateReplica(database));
  await core.replica.sync();
  const enforcer = makeEnforcer(config, logger);
  const ready = (): Promise<ReadyCheck[]> => readiness(database, deps.transport);
  const http = await createHttpApp(PlacementModule.with(core, enforcer), {
    service: SERVICE,
    logger,
    metrics,
    faultMapper: placementFaults(CONTROLLERS.flatMap(operationsOf)),
    tokens: tokensOf(deps),
    ready,
    ...(config.allowedOrigin === undefined ? {} : { cors: corsOf(config.allowedOrigin) }),
  });
  installPreRouting(http.fastify, {
    trustRoleHeaders: config.auth.strategy === 'noauth2',
    variesByOrigin: config.allowedOrigin !== undefined,
  });
  new PlacementEdge(enforcer, (uuid) => core.get(uuid)).install(http.fastify);
  const url = await http.listen(config.host, config.port);
  const rpc = deps.transport
    ? await serveRpc(http.app, deps.transport, { contracts: [placementContract], logger, metrics })
    : undefined;
  const trimming = setInterval(() => {
    trimChangeLog(database, config.changeLogKeep)
      .then(() => trimFences(database, Date.now() - FENCE_LIFE_MS))
      .catch((err: unknown) => logger.warn({ err }, 'old rows were not trimmed'));
  }, TRIM_EVERY_MS);
  trimming.unref();
  return { name: SERVICE, url, ready, close: () => closeAll(http, rpc, trimming) };
}

function makeEnforcer(config: PlacementConfig, logger: Logger): Enforcer {
  const { file, enforceScope, enforceNewDefaults } = config.policy;
  const enforcer = createEnforcer({
    rules: placementRules,
    ...(file === undefined ? {} : { policyFile: file }),
    enforceScope,
    enforceNewDefaults,
  });
  for (const problem of enforcer.problems) logger.warn({ problem }, 'policy');
  return enforcer;
}

function tokensOf({ config, tokens }: PlacementDeps): TokenOptions {
  const publicPaths = ['/', ''];
  if (tokens) return { ...tokens, publicPaths: [...publicPaths, ...(tokens.publicPaths ?? [])] };
  if (config.auth.strategy === 'noauth2') return noauth({ publicPaths });
  if (config.auth.url === undefined)
    throw new Error('placement: auth.url is needed to check tokens (or auth.strategy noauth2)');
  const validator = new TokenValidator({ authUrl: config.auth.url });
  return { validate: (token, ctx) => validator.validate(token, ctx), identityUri: config.auth.url, publicPaths };
}

function corsOf(origins: string): NonNullable<Parameters<typeof createHttpApp>[1]['cors']> {
  return {
    origin: origins.split(',').map((o) => o.trim()), // a list: only a request from one of it is told that it may
    optionsSuccessStatus: 200,
    strictPreflight: false,
    credentials: true,
    maxAge: 3600,
    methods: ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'],
    exposedHeaders: ['OpenStack-API-Version', 'X-OpenStack-Request-ID', 'Location'],
  };
}

async function readiness(database: Database, transport?: RpcTransport): Promise<ReadyCheck[]> {
  const db = await database.ping();
  return [
    { part: 'database', ok: db, ...(db ? {} : { why: 'it does not answer' }) },
    ...(transport ? [rpcReady(transport)] : []),
  ];
}

async function closeAll(http: HttpApp, rpc: RpcServing | undefined, trimming: NodeJS.Timeout): Promise<void> {
  clearInterval(trimming);
  await rpc?.close();
  await http.close();
}
