import type { IdentityClient, ImageClient, NetworkClient, PlacementClient } from '@fractus/clients';
import {
  FlavorsRepository,
  KeyPairsRepository,
  QuotaLimitsRepository,
  QuotaUsagesRepository,
} from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import { computeRules, createEnforcer, type ComputeRuleName, type Enforcer } from '@fractus/policy';
import type { RpcTransport } from '@fractus/rpc';
import type { Logger, Metrics } from '@fractus/telemetry';
import type { Served } from '@fractus/microversions';
import type { TokenOptions } from '@fractus/http';
import type { ComputeApiConfig } from './config';

/** What the composition root hands over. */
export interface ComputeApiDeps {
  readonly config: Readonly<ComputeApiConfig>;
  readonly database: Database;
  readonly transport: RpcTransport;
  readonly clients: {
    /** How users' tokens are checked, and where identity is. Public paths are the API's own affair. */
    readonly tokens: Pick<TokenOptions, 'validate' | 'identityUri' | 'loopbackOnly'>;
    /** Where project ids are looked up; absent with noauth. */
    readonly identity?: Pick<IdentityClient, 'projectExists'>;
    readonly images: ImageClient;
    readonly networks: NetworkClient;
    /** Placement, where it is elsewhere; without it ours, over the transport. */
    readonly placement?: PlacementClient;
  };
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Sees every answer of an operation; tests check them against upstream's schemas. */
  readonly observe?: (served: Served) => void;
}

/** The objects that resources share, made once. A resource's module takes what its use cases need. */
export class ApiParts {
  readonly enforcer: Enforcer<ComputeRuleName>;
  readonly flavors: FlavorsRepository;
  readonly keyPairs: KeyPairsRepository;
  readonly quotaLimits: QuotaLimitsRepository;
  readonly quotaUsages: QuotaUsagesRepository;

  constructor(readonly deps: ComputeApiDeps) {
    const { config, database } = deps;
    this.enforcer = createEnforcer({
      rules: computeRules,
      ...(config.policyFile ? { policyFile: config.policyFile } : {}),
    });
    this.flavors = new FlavorsRepository(database);
    this.keyPairs = new KeyPairsRepository(database);
    this.quotaLimits = new QuotaLimitsRepository(database, config.quota);
    this.quotaUsages = new QuotaUsagesRepository(database, config.quota);
  }

  get config(): Readonly<ComputeApiConfig> {
    return this.deps.config;
  }
}
