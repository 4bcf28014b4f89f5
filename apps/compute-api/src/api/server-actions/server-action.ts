import { Closed, Present } from '@fractus/dto-schema';
import type { ActionSpec } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import type { ActRequest } from '../../app/servers/act-on-server';

/**
 * One action of POST /servers/{id}/action. The policy rule and the states it is allowed in are the lifecycle table's;
 * `policies` names the rule again so that a reader of the route finds it, and a test holds the two together.
 */
export interface ServerAction<Body extends object = object> extends ActionSpec<Body> {
  readonly success: number;
  /** What the body asks for, in the table's words. */
  request(ctx: RequestContext, body: Body): Omit<ActRequest, 'serverId'>;
}

/** Keeps the body's type while an action is written down, and forgets it in the registry. */
export const defineServerAction = <Body extends object>(action: ServerAction<Body>): ServerAction<never> =>
  action as unknown as ServerAction<never>;

/** A body of one key with any value: `{"pause": null}`. */
export function bodyWithKey(key: string): new () => object {
  const Body = class {};
  Object.defineProperty(Body, 'name', { value: `${key} body` });
  Present()(Body.prototype, key);
  Closed()(Body);
  return Body;
}
