/**
 * Placement's edge: existence in the version, content type and Accept, policy, query, body, handler, headers, in
 * upstream's order. Versions and their changes come from the version table; only the order and the words are our own.
 */
import { ctxOf, originOf, queryOf } from '@fractus/http';
import { FractusError, invalid, notFound } from '@fractus/objects';
import {
  type ApiRequest,
  ApiEdge,
  type Handler,
  type Operation,
  type Version,
  type View,
} from '@fractus/microversions';
import type { JsonSchema } from '@fractus/dto-schema';
import type { Enforcer } from '@fractus/policy';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsJson, mediaTypeMessage } from './faults';
import { querySchema } from './query-schemas';
import { Reply } from './reply';
import { faultOf } from './schema-words';
import { PLACEMENT_VERSIONS, type PlacementFlag, type PlacementFlags } from './versions';

type Plan = NonNullable<ReturnType<Operation['plan']>>;

/** Operations that say 405 where others say 404 in versions before their own. */
const ABSENT_IS_405 = new Map([['DELETE /resource_providers/{uuid}/inventories', 'GET, POST, PUT']]);

/** Operations that answer whatever the client accepts: one tells the versions, the other has no body. */
const TAKES_ANY_ACCEPT = new Set(['GET /', 'GET /traits/{name}']);

/** The operation on a provider that looks at the body before it looks for the provider. */
const BODY_FIRST = 'PUT /resource_providers/{uuid}/traits';

export class PlacementEdge extends ApiEdge<PlacementFlag> {
  constructor(
    private readonly enforcer: Enforcer,
    /** Throws 404 when there is no such provider; asked before the body is looked at. */
    private readonly requireProvider: (uuid: string) => Promise<unknown>,
  ) {
    super({ versions: PLACEMENT_VERSIONS, authorize: (ctx, rule) => enforcer.authorize(ctx, rule) });
  }

  override async serve(
    operation: Operation,
    request: FastifyRequest,
    reply: FastifyReply,
    run: Handler<PlacementFlag>,
  ): Promise<void> {
    const version = request.fractusVersion ?? PLACEMENT_VERSIONS.api.min;
    const plan = operation.plan(PLACEMENT_VERSIONS, { version, legacy: false });
    if (!plan) return absent(operation, request, reply);
    const ctx = ctxOf(request);
    if (plan.body) requireJson(request);
    else if (operation.name.startsWith('GET ') && !TAKES_ANY_ACCEPT.has(operation.name)) checkAccept(request);
    if (typeof operation.spec.policy === 'string') this.enforcer.authorize(ctx, operation.spec.policy);
    if (plan.body && operation.name.includes(' /resource_providers/{uuid}') && operation.name !== BODY_FIRST)
      await this.requireProvider((request.params as { uuid: string }).uuid);
    const given: ApiRequest = {
      query: checkedQuery(operation, version, request),
      body: plan.body ? parseBody(plan, request.body) : request.body,
      params: request.params as Record<string, string>,
      raw: request,
    };
    const flags = plan.flags as PlacementFlags;
    const result = await run(ctx, given, flags);
    const whole = operation.spec.views?.[''];
    const step = whole === undefined ? undefined : PLACEMENT_VERSIONS.view(whole, version);
    send(result instanceof Reply ? result : new Reply(result), {
      plan,
      flags,
      request,
      reply,
      ...(step ? { step } : {}),
    });
  }
}

function absent(operation: Operation, request: FastifyRequest, reply: FastifyReply): never {
  const allow = ABSENT_IS_405.get(operation.name);
  if (allow === undefined) throw notFound('The resource could not be found.', { code: 'microversion.absent' });
  void reply.header('allow', allow);
  throw new FractusError('not_allowed', `The method ${request.method} is not allowed for this resource.`, {
    code: 'microversion.absent',
  });
}

interface Sending {
  readonly plan: Plan;
  readonly flags: PlacementFlags;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** What the version does to the body as a whole (the view at the empty path). */
  readonly step?: (view: View) => View;
}

function send(result: Reply, at: Sending): void {
  const { plan, flags, request, reply, step } = at;
  const { status, location, modified } = result.options;
  const body = result.body ?? undefined;
  void reply.code(status ?? plan.status);
  if (location !== undefined) void reply.header('location', originOf(request) + location);
  if (flags.lastModified && modified !== undefined) {
    void reply.headers({
      'last-modified': new Date(modified ?? Date.now()).toUTCString(),
      'cache-control': 'no-cache',
    });
  }
  if (body === undefined) return void reply.send();
  plan.shape?.(body as View);
  void reply.type('application/json').send(JSON.stringify(step ? step(body as View) : body));
}

/** 415 unless the body is said to be JSON. */
export function requireJson(request: FastifyRequest): void {
  const type = request.headers['content-type'];
  if ((type?.split(';')[0] ?? '').trim().toLowerCase() === 'application/json') return;
  throw new FractusError('unsupported_media', mediaTypeMessage(type), { code: 'request.media_type' });
}

function checkAccept(request: FastifyRequest): void {
  const { accept } = request.headers;
  if (accept !== undefined && !acceptsJson(accept))
    throw new FractusError('not_acceptable', 'Only application/json is provided', { code: 'request.accept' });
}

function checkedQuery(operation: Operation, version: Version, request: FastifyRequest): Record<string, string[]> {
  const query = queryOf(request);
  const schema = querySchema(operation.name, version);
  if (!schema) return query;
  const last = Object.create(null) as Record<string, string>;
  for (const [name, values] of Object.entries(query)) last[name] = values.at(-1) ?? '';
  const fault = faultOf(schema, last);
  if (fault !== undefined) throw invalid(`Invalid query string parameters: ${fault}`, { code: 'query.schema' });
  return query;
}

/** The body as the newest form of its class; 400 in the form of Python's jsonschema. */
export function parseBody(plan: Pick<Plan, 'body' | 'liftBody'>, body: unknown): unknown {
  if (!plan.body) return body;
  if (body === undefined) throw invalid('Malformed JSON: the body is empty', { code: 'body.json' });
  const root = rootOf(plan.body.schema);
  const fault = faultOf(root ?? plan.body.schema, body);
  if (fault !== undefined) throw invalid(`JSON does not validate: ${fault}`, { code: 'body.schema' });
  const whole = root ? { root: body } : (body as object);
  return plan.liftBody ? plan.liftBody(whole) : whole;
}

/** A class with the only member `root` stands for a body that is not an object with names of its own. */
function rootOf(schema: JsonSchema): JsonSchema | undefined {
  const properties = schema['properties'] as Record<string, JsonSchema> | undefined;
  return properties && Object.keys(properties).join() === 'root' ? properties['root'] : undefined;
}
