import { randomBytes } from 'node:crypto';
import { compileDto, type CompiledDto } from '@fractus/dto-schema';
import { internal, type RequestContext } from '@fractus/objects';
import type { Client, Contract, HostClient, MethodSpec } from '@fractus/rpc-contracts';
import { decodeAnswer, encodeEnvelope } from './envelope';
import { pastDeadline } from './errors';
import { patternOf } from './handlers';
import { outcomeOf, startTimer, type RpcMetrics } from './metrics';
import { continueTraceparent } from '@fractus/telemetry';
import type { Address, OutgoingMessage, RpcTransport } from './transport';

export interface RpcClientOptions {
  /**
   * Called with the method's name before anything is sent, casts included; throws when a unit of work is open:
   * `(what) => db.assertOutsideTransaction(what)`.
   */
  readonly assertOutsideTransaction?: (what: string) => void;
  /** Where durations and outcomes are counted (side `client`). */
  readonly metrics?: RpcMetrics;
}

/**
 * A client of a `queue` contract. Each method rejects with a FractusError: of the callee's kind, `timeout`,
 * `unroutable`, `unavailable`, or `internal` where a payload breaks the contract.
 *
 * A call's deadline is the context's or the method's time-out, whichever comes first; it travels on. A cast and news
 * carry the whole context except the deadline: nobody waits for them.
 */
export function rpcClient<C extends Contract>(
  transport: RpcTransport,
  contract: C,
  options: RpcClientOptions = {},
): Client<C> {
  const methods = senders(transport, contract, options);
  const client: Record<string, Invoke> = {};
  for (const [name, send] of methods) client[name] = (ctx, request) => send(ctx, request, undefined);
  return Object.freeze(client) as Client<C>;
}

/** A client of a `host` contract. `on(host)` costs one small object: no need to keep it. */
export function rpcHostClient<C extends Contract>(
  transport: RpcTransport,
  contract: C,
  options: RpcClientOptions = {},
): HostClient<C> {
  if (contract.routing !== 'host') throw new TypeError(`the contract ${contract.topic} is not routed by host`);
  class OnHost {
    constructor(readonly host: string) {}
  }
  for (const [name, send] of senders(transport, contract, options)) {
    Object.defineProperty(OnHost.prototype, name, {
      value(this: OnHost, ctx: RequestContext, request: unknown) {
        return send(ctx, request, this.host);
      },
    });
  }
  return { on: (host) => new OnHost(host) as unknown as Client<C> };
}

type Invoke = (ctx: RequestContext, request: unknown) => Promise<unknown>;
export type Send = (ctx: RequestContext, request: unknown, host: string | undefined) => Promise<unknown>;

/** One sending function per method of the contract. */
export function senders(transport: RpcTransport, contract: Contract, options: RpcClientOptions): Map<string, Send> {
  const out = new Map<string, Send>();
  for (const [name, spec] of Object.entries(contract.methods)) {
    const send = sender(transport, contract, name, spec, options);
    out.set(name, options.metrics ? measured(send, patternOf(contract, name), options.metrics) : send);
  }
  return out;
}

function sender(
  transport: RpcTransport,
  contract: Contract,
  name: string,
  spec: MethodSpec,
  options: RpcClientOptions,
): Send {
  const pattern = patternOf(contract, name);
  const { topic } = contract;
  const byHost = contract.routing === 'host';
  const check = options.assertOutsideTransaction;
  const answer = spec.kind === 'call' ? compileDto<object>(spec.response, { unknown: 'drop' }) : undefined;
  return async (ctx, request, host) => {
    check?.(`RPC ${pattern}`);
    if (spec.kind === 'news') return transport.publish(topic, message(pattern, unhurried(ctx), request));
    if (byHost !== (host !== undefined))
      throw internal(`${pattern} is ${byHost ? '' : 'not '}routed by host`, { code: 'rpc.address' });
    const to: Address = byHost ? { topic, host } : { topic };
    if (spec.kind === 'cast') return transport.cast(to, message(pattern, unhurried(ctx), request));
    const now = Date.now();
    const deadline = Math.min(ctx.deadline ?? Infinity, now + spec.timeoutMs);
    if (deadline <= now) throw pastDeadline(pattern);
    const onward = { ...ctx, deadline, traceparent: continueTraceparent(ctx.traceparent) };
    const text = await transport.call(to, message(pattern, onward, request), deadline);
    return checked(pattern, decodeAnswer(pattern, text), answer);
  };
}

function measured(send: Send, method: string, metrics: RpcMetrics): Send {
  return async (ctx, request, host) => {
    const done = startTimer(metrics, 'client', method);
    try {
      const answer = await send(ctx, request, host);
      done('ok');
      return answer;
    } catch (e) {
      done(outcomeOf(e));
      throw e;
    }
  };
}

function unhurried(ctx: RequestContext): RequestContext {
  return { ...ctx, deadline: undefined, traceparent: continueTraceparent(ctx.traceparent) };
}

function checked(pattern: string, data: unknown, validator: CompiledDto<object> | undefined): unknown {
  try {
    return validator?.parse(data);
  } catch (cause) {
    throw internal(`The answer of ${pattern} breaks the contract: ${(cause as Error).message}`, {
      code: 'rpc.answer',
      cause,
    });
  }
}

const PROCESS = randomBytes(6).toString('hex');
let sequence = 0;

function message(pattern: string, ctx: RequestContext, request: unknown): OutgoingMessage {
  return { id: `${PROCESS}-${++sequence}`, pattern, body: encodeEnvelope(pattern, ctx, request) };
}
