import type { RequestContext } from '@fractus/objects';

/**
 * How an RPC method is declared, and the types that client proxies and handlers derive from the declaration.
 *
 * - `call`: the caller waits for an answer until the deadline.
 * - `cast`: persistent, acknowledged after the handler, redelivered after a crash, dead-lettered when it cannot succeed.
 * - `news`: fan-out to every process that subscribes; may be lost, so it carries a sequence number.
 *
 * Routing is the contract's: `queue` contracts are consumed by any process of the app, `host` contracts are consumed
 * by the one agent that serves the host.
 */
export type DtoClass<T> = new () => T;

export interface CallSpec<Req, Res> {
  readonly kind: 'call';
  readonly request: DtoClass<Req>;
  readonly response: DtoClass<Res>;
  readonly timeoutMs: number;
}
export interface CastSpec<Req> {
  readonly kind: 'cast';
  readonly request: DtoClass<Req>;
}
export interface NewsSpec<Req> {
  readonly kind: 'news';
  readonly request: DtoClass<Req>;
}
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the bound of a generic over every DTO
export type MethodSpec = CallSpec<any, any> | CastSpec<any> | NewsSpec<any>;
export type MethodSpecs = Record<string, MethodSpec>;

export interface Contract<M extends MethodSpecs = MethodSpecs> {
  readonly topic: string;
  readonly routing: 'queue' | 'host';
  readonly methods: M;
}

export const call = <Req, Res>(
  request: DtoClass<Req>,
  response: DtoClass<Res>,
  timeoutMs = 30_000,
): CallSpec<Req, Res> => ({
  kind: 'call',
  request,
  response,
  timeoutMs,
});
export const cast = <Req>(request: DtoClass<Req>): CastSpec<Req> => ({ kind: 'cast', request });
export const news = <Req>(request: DtoClass<Req>): NewsSpec<Req> => ({ kind: 'news', request });

export function defineContract<M extends MethodSpecs>(
  topic: string,
  routing: 'queue' | 'host',
  methods: M,
): Contract<M> {
  return Object.freeze({ topic, routing, methods: Object.freeze(methods) });
}

type RequestOf<S> = S extends { request: DtoClass<infer Req> } ? Req : never;
type AnswerOf<S> =
  S extends CallSpec<never, infer Res> ? Res : S extends { response: DtoClass<infer Res> } ? Res : void;

/** What a handler class implements: every method of the contract, or it does not compile. */
export type Handlers<C extends Contract> = {
  [K in keyof C['methods']]: (
    ctx: RequestContext,
    request: RequestOf<C['methods'][K]>,
  ) => Promise<AnswerOf<C['methods'][K]>>;
};

/**
 * A typed client. A call rejects with a FractusError of the callee's kind, `timeout` when the deadline passes, or
 * `unroutable` at once when nobody consumes the queue. A cast resolves when the transport has taken the message.
 */
export type Client<C extends Contract> = {
  [K in keyof C['methods']]: (
    ctx: RequestContext,
    request: RequestOf<C['methods'][K]>,
  ) => Promise<AnswerOf<C['methods'][K]>>;
};

/** A client of a `host` contract: `compute.on('host1').build(ctx, …)`. */
export interface HostClient<C extends Contract> {
  on(host: string): Client<C>;
}
