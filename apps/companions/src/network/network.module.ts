/** The network service put together. */
import { Module, type DynamicModule } from '@nestjs/common';
import { openDatabase, type Database } from '@fractus/database';
import { createHttpApp, type TokenValidator } from '@fractus/http';
import { systemContext, type RequestContext } from '@fractus/objects';
import type { Logger, Metrics, RunningService } from '@fractus/telemetry';
import { readiness } from '../readiness';
import { Kinds } from './kinds';
import { NetworkApi } from './network-api';
import { NetworkRootController } from './network-root.controller';
import type { NetworkConfig } from './network.config';
import { NetworkController } from './network.controller';
import { networkFaultMapper } from './network.faults';
import { NETWORK_MIGRATIONS } from './network.migrations';
import { Quotas } from './quotas';
import { Tags } from './tags';

export interface NetworkDeps {
  config: NetworkConfig;
  /** Checks users' tokens. */
  validate: TokenValidator;
  /** For `WWW-Authenticate`. */
  identityUri?: string;
  logger: Logger;
  metrics: Metrics;
}

export interface SeedNetwork {
  name: string;
  /** The project that owns it. */
  projectId: string;
  cidr: string;
  shared?: boolean;
  external?: boolean;
}

export interface RunningNetwork extends RunningService {
  readonly url: string;
  /** Makes a network with one subnet (`<name>-subnet`) unless one of this name is there. */
  seed(network: SeedNetwork): Promise<void>;
}

@Module({})
class NetworkModule {}

export async function startNetwork(deps: NetworkDeps): Promise<RunningNetwork> {
  const db = await openDatabase({ url: deps.config.databaseUrl, entities: [], migrations: NETWORK_MIGRATIONS });
  try {
    return await serve(db, deps);
  } catch (e) {
    await db.close();
    throw e;
  }
}

async function serve(
  db: Database,
  { config, validate, identityUri, logger, metrics }: NetworkDeps,
): Promise<RunningNetwork> {
  const kinds = new Kinds(db);
  const quotas = new Quotas(db);
  const tags = new Tags(db);
  const api = new NetworkApi(db, quotas, tags, kinds.securityGroups);
  const ready = () => readiness(db);
  const http = await createHttpApp(moduleOf(kinds, quotas, tags, api), {
    service: 'network',
    logger,
    metrics,
    faultMapper: networkFaultMapper,
    ready,
    ignoreTrailingSlash: true,
    // clients of old ask for `networks.json`
    rewriteUrl: (url) => url.replace(/\.json(?=\?|$)/, ''),
    ...(config.publicUrl ? { publicUrl: config.publicUrl } : {}),
    tokens: { validate, publicPaths: ['/', '/v2.0', '/v2.0/'], ...(identityUri ? { identityUri } : {}) },
  });
  const url = await http.listen(config.host, config.port);
  return {
    name: 'network',
    url: config.publicUrl || url,
    ready,
    seed: (network) => seed(db, api, kinds, network),
    close: async () => {
      await http.close();
      await db.close();
    },
  };
}

function moduleOf(kinds: Kinds, quotas: Quotas, tags: Tags, api: NetworkApi): DynamicModule {
  return {
    module: NetworkModule,
    controllers: [NetworkRootController, NetworkController],
    providers: [
      { provide: Kinds, useValue: kinds },
      { provide: Quotas, useValue: quotas },
      { provide: Tags, useValue: tags },
      { provide: NetworkApi, useValue: api },
    ],
  };
}

async function seed(
  db: Database,
  api: NetworkApi,
  kinds: Kinds,
  { name, projectId, cidr, shared, external }: SeedNetwork,
): Promise<void> {
  const ctx: RequestContext = { ...systemContext('req-seed-network'), projectId };
  await db.transaction(async () => {
    if ((await db.query('SELECT id FROM networks WHERE name = ?', [name])).length > 0) return;
    const network = { name, shared: shared ?? false, 'router:external': external ?? false };
    const made = await api.create(kinds.networks, ctx, { network });
    const subnet = {
      name: `${name}-subnet`,
      network_id: (made['network'] as { id: string }).id,
      cidr,
      ip_version: 4,
      enable_dhcp: !external,
    };
    await api.create(kinds.subnets, ctx, { subnet });
  });
}
