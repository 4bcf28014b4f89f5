import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { createHttpApp, novaFaultMapper, type HttpApp } from '@fractus/http';
import { ApiEdge, checkOperations, operationsOf } from '@fractus/microversions';
import { computeRules, type ComputeRuleName } from '@fractus/policy';
import { rpcReady } from '@fractus/rpc';
import type { ReadyCheck, RunningService } from '@fractus/telemetry';
import { Policy } from './api/policy';
import { installProjectPathCheck } from './api/project-path';
import { installRemovedOperations } from './api/removed-operations/install-removed-operations';
import { RESOURCES } from './api/resources';
import { isLegacy, rewriteUrl, ROOT } from './api/urls';
import { DOCUMENT_PATHS, installVersionDocuments } from './api/version-documents/version-documents';
import { VERSIONS } from './api/versions';
import { ApiParts, type ComputeApiDeps } from './parts';

export { ComputeApiConfig, QuotaConfig } from './config';
export type { ComputeApiDeps } from './parts';

@Global()
@Module({})
class PartsModule {
  static with(parts: ApiParts): DynamicModule {
    return {
      module: PartsModule,
      providers: [
        { provide: ApiParts, useValue: parts },
        { provide: Policy, useValue: new Policy(parts.enforcer) },
      ],
      exports: [ApiParts, Policy],
    };
  }
}

@Module({})
export class ComputeApiModule {
  static with(parts: ApiParts): DynamicModule {
    return { module: ComputeApiModule, imports: [PartsModule.with(parts), ...RESOURCES] };
  }
}

/** The controllers of all resources: for start-up checks, tests and the OpenAPI document. */
export const controllersOfApi = (): Type[] =>
  RESOURCES.flatMap((m) => (Reflect.getMetadata('controllers', m) ?? []) as Type[]);

/** What is wrong with the API's declarations, as sentences; empty when they fit together. */
export function declarationFaults(): string[] {
  const controllers = controllersOfApi();
  const declared = new Set<string>(computeRules.map((r) => r.name));
  const unknown = controllers
    .flatMap((c) => operationsOf(c))
    .flatMap(({ name, spec: { policy, policies = [] } }) => {
      const rules = [...policies, ...(typeof policy === 'string' ? [policy] : policy ? [policy.rule] : [])];
      return rules
        .filter((r) => !declared.has(r))
        .map((r) => `${name} names the policy rule ${r}, which is not declared`);
    });
  return [...checkOperations(VERSIONS, controllers), ...unknown];
}

/** Starts the Compute API. Rejects, with every fault listed, when its declarations do not fit together. */
export async function startComputeApi(deps: ComputeApiDeps): Promise<RunningService> {
  const faults = declarationFaults();
  if (faults.length > 0) throw new Error(`the API's declarations do not fit together:\n${faults.join('\n')}`);
  const parts = new ApiParts(deps);
  for (const problem of parts.enforcer.problems) deps.logger.warn({ problem }, 'policy');
  const http = await createComputeHttp(parts);
  const url = await http.listen(deps.config.host, deps.config.port);
  return { name: 'compute-api', url, ready: () => ready(deps), close: () => http.close() };
}

async function createComputeHttp(parts: ApiParts): Promise<HttpApp> {
  const { config, clients, logger, metrics, observe } = parts.deps;
  const http = await createHttpApp(ComputeApiModule.with(parts), {
    service: 'compute-api',
    logger,
    metrics,
    faultMapper: novaFaultMapper,
    tokens: { ...clients.tokens, publicPaths: [...DOCUMENT_PATHS] },
    body: {
      limit: config.bodyLimit,
      jsonTypes: ['application/json', 'application/vnd.openstack.compute+json', 'text/plain'],
    },
    ready: () => ready(parts.deps),
    requestIdHeaders: ['x-openstack-request-id', 'x-compute-request-id'],
    unknownMethod: 404,
    head: false,
    rewriteUrl,
    trustForwarded: config.trustForwarded,
    ...(config.publicUrl ? { publicUrl: config.publicUrl } : {}),
  });
  new ApiEdge({
    versions: VERSIONS,
    authorize: (ctx, rule, target) => parts.enforcer.authorize(ctx, rule as ComputeRuleName, target),
    isLegacy,
    ...(observe ? { observe } : {}),
  }).install(http.fastify);
  installProjectPathCheck(http.fastify);
  installVersionDocuments(http.fastify);
  installRemovedOperations(http.fastify);
  http.app.setGlobalPrefix(ROOT);
  return http;
}

async function ready({ database, transport, clients: { placement } }: ComputeApiDeps): Promise<ReadyCheck[]> {
  const db = await database.ping();
  return [
    { part: 'database', ok: db, ...(db ? {} : { why: 'the compute database does not answer' }) },
    rpcReady(transport),
    ...(placement ? [await placement.ready()] : []),
  ];
}
