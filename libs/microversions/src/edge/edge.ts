import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ctxOf, queryOf } from '@fractus/http';
import { FractusError, notFound } from '@fractus/objects';
import type { RequestContext } from '@fractus/objects';
import type { Version } from '@fractus/dto-schema';
import { negotiate, requestedText, versionHeaders } from '../negotiate';
import type { View } from '../changes';
import type { Flags, VersionTable } from '../version-table';
import type { Operation, Plan } from './operation';
import type { RawQuery } from './query';

/** What a handler gets beside the context: valid, and in its newest form whatever version was asked for. */
export interface ApiRequest<Body = unknown, Query = unknown, Params = Record<string, string>> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  readonly raw: FastifyRequest;
}

/** For a handler that chooses code or headers itself. Plain values are answered with the operation's success code. */
export class Answer {
  constructor(
    readonly body: unknown,
    readonly options: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {}
}

/** What was served, for those who check answers (tests) or count them. */
export interface Served {
  readonly operation: string;
  readonly version: Version;
  readonly legacy: boolean;
  readonly status: number;
  readonly body: unknown;
}

export interface EdgeOptions<Flag extends string> {
  readonly versions: VersionTable<Flag>;
  /** Throws `forbidden` when the rule does not allow it. */
  readonly authorize: (ctx: RequestContext, rule: string, target?: Record<string, unknown>) => void | Promise<void>;
  /** Whether the request came in by a legacy endpoint, which has no versions. */
  readonly isLegacy?: (request: FastifyRequest) => boolean;
  /** Called with every answer that an operation gives; it may throw, and does in tests. */
  readonly observe?: (served: Served) => void;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is an operation of a versioned API: its version is negotiated before anything else of it is read. */
    fractusVersioned?: boolean;
  }
  interface FastifyInstance {
    fractusEdge: ApiEdge;
  }
  interface FastifyRequest {
    /** The version that the request asked for; null before it is known and on paths without versions. */
    fractusVersion: Version | null;
  }
}

/**
 * The edge of one versioned API. In order, as upstream has it: version (400, 406), existence in that version (404),
 * query, body (400), policy (403), handler, response in the form of the version.
 */
export class ApiEdge<Flag extends string = string> {
  constructor(private readonly options: EdgeOptions<Flag>) {}

  /** Makes the operations of this application's controllers answer through this edge. Before the app is initialised. */
  install(fastify: FastifyInstance): void {
    fastify.decorate('fractusEdge', this as unknown as ApiEdge);
    fastify.decorateRequest('fractusVersion', null);
    fastify.addHook('onRequest', (request, reply, done) => {
      try {
        if (request.routeOptions.config.fractusVersioned) this.negotiate(request, reply);
        done();
      } catch (e) {
        done(e as Error);
      }
    });
  }

  private negotiate(request: FastifyRequest, reply: FastifyReply): void {
    const { api } = this.options.versions;
    if (this.options.isLegacy?.(request)) {
      request.fractusVersion = api.min;
      return;
    }
    try {
      request.fractusVersion = negotiate(api, request.headers);
    } catch (e) {
      const asked = requestedText(api, request.headers);
      if (e instanceof FractusError && e.kind === 'not_acceptable' && asked && api.dialect === 'nova')
        void reply.headers(versionHeaders(api, asked));
      throw e;
    }
    void reply.headers(versionHeaders(api, request.fractusVersion));
  }

  async serve(operation: Operation, request: FastifyRequest, reply: FastifyReply, run: Handler<Flag>): Promise<void> {
    const { versions, authorize, isLegacy, observe } = this.options;
    const version = request.fractusVersion ?? versions.api.min;
    const legacy = isLegacy?.(request) ?? false;
    const plan = operation.plan(versions, { version, legacy });
    if (!plan) throw notFound('The resource could not be found.', { code: 'microversion.absent' });
    const ctx = ctxOf(request);
    const given = { ...readRequest(plan, request), params: request.params as Record<string, string>, raw: request };
    const { policy } = operation.spec;
    if (typeof policy === 'string') await authorize(ctx, policy);
    else if (policy) await authorize(ctx, policy.rule, policy.target(ctx, given as ApiRequest<never, RawQuery>));
    const result = await run(ctx, given, plan.flags as Flags<Flag>);
    const answer = result instanceof Answer ? result : new Answer(result);
    const status = answer.options.status ?? plan.status;
    const body = answer.body ?? undefined;
    if (body !== undefined) plan.shape?.(body as View);
    const text = body === undefined ? undefined : JSON.stringify(body);
    observe?.({ operation: operation.name, version, legacy, status, body: text && (JSON.parse(text) as unknown) });
    void reply.code(status);
    if (answer.options.headers) void reply.headers(answer.options.headers);
    if (text !== undefined) void reply.type('application/json');
    void reply.send(text);
  }
}

export type Handler<Flag extends string> = (ctx: RequestContext, request: ApiRequest, flags: Flags<Flag>) => unknown;

function readRequest(plan: Plan, request: FastifyRequest): { query: RawQuery; body: unknown } {
  let query = queryOf(request);
  if (plan.query && plan.parameters) {
    plan.query.parse(query);
    query = plan.parameters.keep(query);
    if (plan.liftQuery) query = plan.liftQuery(query) as RawQuery;
  }
  if (!plan.body) return { query, body: undefined };
  const body = plan.body.parse(request.body ?? null);
  return { query, body: plan.liftBody ? plan.liftBody(body) : body };
}
