/**
 * The HTTP edge of every API: Nest on Fastify with what all of them share. In order, for each request: an id, the trace,
 * the token (as a hook rather than a Nest guard: cheaper, and an unauthenticated body is never read), the body, the
 * route; then the fault filter, the access line and the metrics. What differs between APIs is options and mappers.
 */
import 'reflect-metadata';
import type { AddressInfo, Server } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { fastifyCors as cors, type FastifyCorsOptions } from '@fastify/cors';
import {
  fastify as fastifyFactory,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RawServerDefault,
} from 'fastify';
import type { DynamicModule, Type } from '@nestjs/common';
import { continueTraceparent, type Logger, type Metrics, type ReadyCheck } from '@fractus/telemetry';
import { AllowedMethods } from './allowed-methods';
import { DEFAULT_BODY_LIMIT, installBodyParsers, type BodyRules } from './bodies';
import { clientErrorHandler } from './client-errors';
import { FaultFilter } from './fault-filter';
import type { FaultMapper } from './faults';
import { anonymous, authenticate, publicPathTest, single, type BareContext } from './guard';
import { originBy, type OriginRules } from './links';
import { nestLogger } from './nest-logger';
import { isLoopback } from './noauth';
import { installOpsEndpoints, OPS_PATHS } from './ops-endpoints';
import { globalRequestId, newRequestId } from './request-ids';
import type { TokenOptions } from './tokens';

export interface HttpAppOptions extends OriginRules {
  /** Name in logs and metrics. */
  service: string;
  logger: Logger;
  metrics: Metrics;
  faultMapper: FaultMapper;
  /** Token checks; without them every request is anonymous (the API guards itself). */
  tokens?: TokenOptions;
  /** Bytes of a JSON body at most; default 1 MiB. Short for `body.limit`. */
  bodyLimit?: number;
  body?: BodyRules;
  ready?: () => Promise<ReadyCheck[]>;
  /** Response headers that carry the request id. Default `x-openstack-request-id`. */
  requestIdHeaders?: readonly string[];
  /** A known path asked with another method: 405 with Allow (default), or 404 as Nova does. */
  unknownMethod?: 404 | 405;
  /** Answer HEAD wherever there is a GET. Default true. */
  head?: boolean;
  ignoreTrailingSlash?: boolean;
  /** Changes the target before routing (a project id in the path, say); `request.originalUrl` keeps what was sent. */
  rewriteUrl?: (url: string) => string;
  /** Serve /healthz, /readyz and /metrics. Default true. */
  opsEndpoints?: boolean;
  cors?: FastifyCorsOptions;
  /** Milliseconds within which a whole request must arrive. Default 120000; 0 is without limit (uploads). */
  requestTimeout?: number;
  /** Milliseconds an idle connection stays open. Default 72000. */
  keepAliveTimeout?: number;
  /** Milliseconds that requests under way get on close before their connections are cut. Default 10000. */
  drainTimeout?: number;
  /**
   * Milliseconds on close in which new connections are still taken and each answer ends its connection, as long as any
   * is open: what a client sends on one just when it is closed would be lost. Default 300.
   */
  leaveTime?: number;
}

export interface HttpApp {
  /** Not yet initialised until `listen`, so that microservices and hooks can still be added. */
  readonly app: NestFastifyApplication;
  readonly fastify: FastifyInstance;
  /** Initialises and listens; resolves to the base URL with the real port. */
  listen(host: string, port: number): Promise<string>;
  /** Takes leave of open connections, refuses new ones, serves what is on its way, then closes. Safe to call twice. */
  close(): Promise<void>;
}

/** Without the Express-style middleware layer: nothing here uses it, and every request would pay for it. */
class BareFastifyAdapter extends FastifyAdapter {
  override async init(): Promise<void> {}
}

export async function createHttpApp(module: Type | DynamicModule, options: HttpAppOptions): Promise<HttpApp> {
  const allowed = new AllowedMethods(options.ignoreTrailingSlash ?? false);
  const filter = new FaultFilter({
    logger: options.logger,
    faultMapper: options.faultMapper,
    allowed,
    unknownMethod: options.unknownMethod ?? 405,
    ...(options.tokens?.identityUri ? { identityUri: options.tokens.identityUri } : {}),
  });
  const fastify = createFastify(options, filter);
  await prepare(fastify, allowed, options);
  const app = await NestFactory.create<NestFastifyApplication>(module, new BareFastifyAdapter(fastify as never), {
    bodyParser: false,
    abortOnError: false,
    bufferLogs: false,
    logger: nestLogger(options.logger),
  });
  app.useGlobalFilters(filter);
  return {
    app,
    fastify,
    listen: listener(app, fastify, options),
    close: closer(app, fastify, options),
  };
}

const requestIdHeadersOf = (options: HttpAppOptions): readonly string[] =>
  options.requestIdHeaders ?? ['x-openstack-request-id'];

function createFastify(options: HttpAppOptions, filter: FaultFilter): FastifyInstance {
  const { rewriteUrl } = options;
  const fastifyOptions: FastifyHttpOptions<RawServerDefault> = {
    logger: false,
    genReqId: newRequestId,
    bodyLimit: options.body?.limit ?? options.bodyLimit ?? DEFAULT_BODY_LIMIT,
    exposeHeadRoutes: options.head ?? true,
    requestTimeout: options.requestTimeout ?? 120_000,
    keepAliveTimeout: options.keepAliveTimeout ?? 72_000,
    forceCloseConnections: 'idle',
    // what is on its way on an open connection is served, and is the last that the connection brings
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: options.ignoreTrailingSlash ?? false,
      caseSensitive: true,
      maxParamLength: 1024,
    },
    ...(rewriteUrl ? { rewriteUrl: (request) => rewriteUrl(request.url ?? '/') } : {}),
    clientErrorHandler: clientErrorHandler({
      logger: options.logger,
      faultMapper: options.faultMapper,
      requestIdHeaders: requestIdHeadersOf(options),
    }),
    frameworkErrors: (error, request, reply) => filter.send(error, request as FastifyRequest, reply as FastifyReply),
  };
  return fastifyFactory(fastifyOptions);
}

async function prepare(fastify: FastifyInstance, allowed: AllowedMethods, options: HttpAppOptions): Promise<void> {
  // first, so that a preflight needs no token and a 401 carries the headers that let a browser read it
  if (options.cors) await fastify.register(cors, options.cors);
  fastify.decorateRequest('fractusCtx', null);
  fastify.decorateRequest('fractusToken', null);
  fastify.decorateRequest('fractusOrigin', null);
  allowed.watch(fastify);
  const limit = options.body?.limit ?? options.bodyLimit;
  installBodyParsers(fastify, { ...options.body, ...(limit === undefined ? {} : { limit }) });
  installRequestHook(fastify, options);
  installAccessLog(fastify, options);
  if (options.opsEndpoints ?? true) installOpsEndpoints(fastify, options.metrics, options.ready ?? (async () => []));
}

function installRequestHook(fastify: FastifyInstance, options: HttpAppOptions): void {
  const { tokens } = options;
  const origin = originBy(options);
  const idHeaders = requestIdHeadersOf(options);
  const isPublic = publicPathTest([
    ...(options.opsEndpoints === false ? [] : OPS_PATHS),
    ...(tokens?.publicPaths ?? []),
  ]);
  fastify.addHook('onRequest', (request, reply, done) => {
    for (const name of idHeaders) void reply.header(name, request.id);
    request.fractusOrigin = origin(request);
    const bare: BareContext = {
      requestId: request.id,
      globalRequestId: globalRequestId(single(request.headers['x-openstack-request-id'])),
      traceparent: continueTraceparent(single(request.headers['traceparent'])),
    };
    if (!tokens || isPublic(pathOf(request.url))) {
      request.fractusCtx = anonymous(bare);
      return done();
    }
    authenticate(request, bare, tokens).then(() => done(), done);
  });
}

function installAccessLog(fastify: FastifyInstance, options: HttpAppOptions): void {
  const { logger, metrics, service } = options;
  fastify.addHook('onResponse', (request, reply, done) => {
    const ms = reply.elapsedTime;
    const route = request.routeOptions.url ?? 'unmatched';
    const status = reply.statusCode;
    metrics.httpServed({ service, method: request.method, route, status }, ms / 1000);
    const ctx = request.fractusCtx;
    const level = (OPS_PATHS as readonly string[]).includes(route) ? 'debug' : 'info';
    logger[level](
      {
        request_id: request.id,
        global_request_id: ctx?.globalRequestId,
        method: request.method,
        url: request.originalUrl,
        status,
        ms: Math.round(ms * 100) / 100,
        user_id: ctx?.userId ?? undefined,
        project_id: ctx?.projectId ?? undefined,
      },
      'request',
    );
    done();
  });
}

function pathOf(url: string): string {
  const at = url.search(/[?#;]/);
  return at < 0 ? url : url.slice(0, at);
}

function listener(app: NestFastifyApplication, fastify: FastifyInstance, options: HttpAppOptions): HttpApp['listen'] {
  return async (host, port) => {
    if (options.tokens?.loopbackOnly && !isLoopback(host)) {
      throw new Error(`${options.service}: without identity (noauth) it listens on loopback only, not on ${host}`);
    }
    await app.listen(port, host);
    const address = fastify.server.address() as AddressInfo;
    const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
    return `http://${name}:${address.port}`;
  };
}

/** Returns when no connection is open, or the time is over. */
async function takeLeave(server: Server, ms: number): Promise<void> {
  const open = promisify(server.getConnections.bind(server));
  for (const end = performance.now() + ms; performance.now() < end && (await open()) > 0;) await sleep(20);
  await setImmediate(); // after the connections that wait in line have been taken
}

function closer(
  app: NestFastifyApplication,
  fastify: FastifyInstance,
  { drainTimeout = 10_000, leaveTime = 300 }: HttpAppOptions,
): HttpApp['close'] {
  let closing: Promise<void> | undefined;
  // a connection that was busy when the listener went must end with its answer, or the drain would wait for it
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) void reply.header('connection', 'close');
    done();
  });
  const close = async (): Promise<void> => {
    if (fastify.server.listening) await takeLeave(fastify.server, leaveTime);
    const cut = setTimeout(() => fastify.server.closeAllConnections(), drainTimeout);
    try {
      // first the listener, so that providers still live while the last requests are served
      await fastify.close();
      await app.close();
    } finally {
      clearTimeout(cut);
    }
  };
  return () => (closing ??= close());
}
