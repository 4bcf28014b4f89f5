/** Identity put together: its parts over one database, its controllers, its listener. */
import { Module, type DynamicModule } from '@nestjs/common';
import { openDatabase, type Database } from '@fractus/database';
import { createHttpApp } from '@fractus/http';
import type { Logger, Metrics, RunningService } from '@fractus/telemetry';
import { readiness } from '../readiness';
import { ApplicationCredentials } from './application-credentials';
import { Assignments } from './assignments';
import { AuthController } from './auth.controller';
import { bootstrapIdentity, type BootstrapOptions } from './bootstrap';
import { Catalog } from './catalog';
import { CatalogController } from './catalog.controller';
import { CatalogRecords } from './catalog-records';
import { Directory } from './directory';
import { DomainsController } from './domains.controller';
import { GroupsController } from './groups.controller';
import type { IdentityConfig } from './identity.config';
import { identityFaultMapper } from './identity.faults';
import { IDENTITY_MIGRATIONS } from './identity.migrations';
import { DEFAULT_COST, Passwords } from './passwords';
import { ProjectsController } from './projects.controller';
import { Revocations, type RevocationListener } from './revocations';
import { RoleAssignmentsController } from './role-assignments.controller';
import { RoleRecords } from './role-records';
import { RolesController } from './roles.controller';
import { loadTokenKeys, TokenCodec } from './token-codec';
import { Tokens } from './tokens';
import { UsersController } from './users.controller';
import { VersionsController } from './versions.controller';

export interface IdentityDeps {
  config: IdentityConfig;
  logger: Logger;
  metrics: Metrics;
}

export interface RunningIdentity extends RunningService {
  readonly url: string;
  /** Makes the first records of a cloud; safe to run at every start. */
  bootstrap(options: BootstrapOptions): Promise<void>;
  /** Tells of every revocation at once: for token validators in the same process. */
  onRevocation(listener: RevocationListener): () => void;
}

@Module({})
class IdentityModule {}

const CONTROLLERS = [
  VersionsController,
  AuthController,
  UsersController,
  ProjectsController,
  DomainsController,
  GroupsController,
  RolesController,
  RoleAssignmentsController,
  CatalogController,
];

export async function startIdentity({ config, logger, metrics }: IdentityDeps): Promise<RunningIdentity> {
  const db = await openDatabase({ url: config.databaseUrl, entities: [], migrations: IDENTITY_MIGRATIONS });
  try {
    return await serve(db, { config, logger, metrics });
  } catch (e) {
    await db.close();
    throw e;
  }
}

async function serve(db: Database, { config, logger, metrics }: IdentityDeps): Promise<RunningIdentity> {
  const parts = partsOf(db, config);
  const ready = () => readiness(db);
  const http = await createHttpApp(moduleOf(parts), {
    service: 'identity',
    logger,
    metrics,
    faultMapper: identityFaultMapper,
    ready,
    ignoreTrailingSlash: true,
    ...(config.publicUrl ? { publicUrl: config.publicUrl } : {}),
    tokens: {
      validate: (token) => parts.tokens.open(token),
      publicPaths: ['/', '/v3', '/v3/', '/v3/auth/tokens', '/v3/auth/tokens/', /^\/v3\/users\/[^/]+\/password$/],
    },
  });
  const url = await http.listen(config.host, config.port);
  return {
    name: 'identity',
    url: config.publicUrl || url,
    ready,
    bootstrap: (options) => bootstrapIdentity(parts, options),
    onRevocation: (listener) => parts.revocations.onRevocation(listener),
    close: async () => {
      await http.close();
      await db.close();
    },
  };
}

function partsOf(db: Database, config: IdentityConfig) {
  const lifetimeMs = config.tokenLifetime * 1000;
  const passwords = new Passwords({ ...DEFAULT_COST, logN: config.passwordCost });
  const revocations = new Revocations(db, lifetimeMs);
  const assignments = new Assignments(db, revocations);
  const codec = new TokenCodec(loadTokenKeys(config.tokenKeyFile));
  return {
    db,
    passwords,
    revocations,
    assignments,
    directory: new Directory(db, passwords, revocations),
    roles: new RoleRecords(db, revocations),
    catalog: new CatalogRecords(db),
    tokenCatalog: new Catalog(db),
    tokens: new Tokens(db, codec, passwords, assignments, revocations, lifetimeMs),
    credentials: new ApplicationCredentials(db, passwords, revocations),
  };
}

function moduleOf(parts: ReturnType<typeof partsOf>): DynamicModule {
  const values = [
    [Revocations, parts.revocations],
    [Assignments, parts.assignments],
    [Directory, parts.directory],
    [RoleRecords, parts.roles],
    [CatalogRecords, parts.catalog],
    [Catalog, parts.tokenCatalog],
    [Tokens, parts.tokens],
    [ApplicationCredentials, parts.credentials],
  ] as const;
  return {
    module: IdentityModule,
    controllers: CONTROLLERS,
    providers: values.map(([provide, useValue]) => ({ provide, useValue })),
  };
}
