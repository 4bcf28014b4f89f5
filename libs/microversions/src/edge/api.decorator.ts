import 'reflect-metadata';
import { Delete, Get, Patch, Post, Put, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FractusError, invalid } from '@fractus/objects';
import type { RequestContext } from '@fractus/objects';
import type { Flags } from '../version-table';
import type { ApiRequest } from './edge';
import { Operation } from './operation';
import type { Method, OperationSpec, Route } from './operation';

const MAPPINGS: Record<Method, (path: string) => MethodDecorator> = {
  GET: Get,
  POST: Post,
  PUT: Put,
  PATCH: Patch,
  DELETE: Delete,
};

/** A controller's method: `(ctx, request, flags) → answer`. */
type OperationMethod<Body, Query, Flag extends string> = (
  ctx: RequestContext,
  request: ApiRequest<Body, Query>,
  flags: Flags<Flag>,
) => unknown;

const operationsByClass = new WeakMap<object, Operation[]>();

/** The operations that a controller class declares, in order. For start-up checks, tests and OpenAPI. */
export const operationsOf = (controller: object): readonly Operation[] => operationsByClass.get(controller) ?? [];

function note(controller: object, operations: readonly Operation[]): void {
  operationsByClass.set(controller, [...operationsOf(controller), ...operations]);
}

type Serve = (self: object, request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Turns a method into a Nest handler that takes (request, reply), and gives it a route. */
function mount(route: Route, target: object, key: string | symbol, descriptor: PropertyDescriptor, serve: Serve): void {
  const [method = '', path = ''] = route.split(' ');
  const wrapper = function (this: object, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return serve(this, request, reply);
  };
  Object.defineProperty(wrapper, 'name', { value: String(key) });
  descriptor.value = wrapper;
  Reflect.defineMetadata('design:paramtypes', [Object, Object], target, key);
  Req()(target, key, 0);
  Res()(target, key, 1);
  RouteConfig({ fractusVersioned: true })(target, key, descriptor);
  MAPPINGS[method as Method](path.replace(/\{(\w+)\}/g, ':$1'))(target, key, descriptor);
}

/**
 * Makes a controller's method an operation of a versioned API: `@Api('GET /flavors/{flavor_id}', {…})`. The edge checks
 * version, query, body and policy before the method runs, and gives the answer the form of the version after.
 */
function Api(route: Route, spec: OperationSpec = {}) {
  return <M>(target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<M>): void => {
    const handler = descriptor.value as unknown as (ctx: RequestContext, request: ApiRequest, flags: Flags) => unknown;
    const operation = new Operation(route, spec);
    note(target.constructor, [operation]);
    mount(route, target, key, descriptor as PropertyDescriptor, (self, request, reply) =>
      request.server.fractusEdge.serve(operation, request, reply, (ctx, given, flags) =>
        handler.call(self, ctx, given, flags),
      ),
    );
  };
}

/** One action of an action route: the body is an object whose only member has the action's name. */
export interface ActionSpec<Body extends object = object> extends OperationSpec<Body> {
  /** `reboot`, `os-start`, `addTenantAccess`. The body class describes the whole body, key and all. */
  readonly key: string;
}

/** What an action route's method gets: the request, and which action it asks for. */
export interface ActionRequest<Action, Params = Record<string, string>> extends ApiRequest<unknown, unknown, Params> {
  readonly action: Action;
}

type ActionMethod<Action, Flag extends string> = (
  ctx: RequestContext,
  request: ActionRequest<Action>,
  flags: Flags<Flag>,
) => unknown;

/** Makes a method serve every action of a registry: `@ApiActions('POST /servers/{server_id}/action', ACTIONS)`. */
function ApiActions(route: `POST /${string}`, actions: readonly ActionSpec[]) {
  const operations = actions.map((action) => new Operation(`${route} ${action.key}`, action));
  const byKey = new Map(actions.map((action, i) => [action.key, { action, operation: operations[i] }]));
  return <M>(target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<M>): void => {
    const handler = descriptor.value as unknown as (
      ctx: RequestContext,
      request: ActionRequest<ActionSpec>,
      flags: Flags,
    ) => unknown;
    note(target.constructor, operations);
    mount(route, target, key, descriptor as PropertyDescriptor, async (self, request, reply) => {
      const found = byKey.get(actionKey(request.body));
      if (!found?.operation)
        throw invalid(`There is no such action: ${actionKey(request.body).slice(0, 100)}`, { code: 'action.unknown' });
      const { action, operation } = found;
      await request.server.fractusEdge.serve(operation, request, reply, (ctx, given, flags) =>
        handler.call(self, ctx, { ...given, action }, flags),
      );
    });
  };
}

function actionKey(body: unknown): string {
  const keys = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
  const [key] = keys;
  if (keys.length !== 1 || key === undefined) throw malformed();
  return key;
}

const malformed = (): FractusError => invalid('Malformed request body', { code: 'action.malformed' });

/** The decorators of one API, typed with its flags. */
export interface ApiDecorators<Flag extends string> {
  Api<Body extends object = object, Query extends object = object>(
    route: Route,
    spec?: OperationSpec<Body, Query>,
  ): <M extends OperationMethod<Body, Query, Flag>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ) => void;
  ApiActions<Action extends ActionSpec>(
    route: `POST /${string}`,
    actions: readonly Action[],
  ): <M extends ActionMethod<Action, Flag>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ) => void;
}

/** `export const { Api, ApiActions } = apiDecorators<NovaFlag>();` in the app that has the flags. */
export const apiDecorators = <Flag extends string>(): ApiDecorators<Flag> =>
  ({ Api, ApiActions }) as unknown as ApiDecorators<Flag>;
