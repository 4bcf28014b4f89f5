import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { compileDto, type CompiledDto } from '@fractus/dto-schema';
import { invalid, isFractusError, unimplemented, type RequestContext } from '@fractus/objects';
import type { Contract } from '@fractus/rpc-contracts';
import { isObservable, lastValueFrom } from 'rxjs';
import { noteDelivery } from './delivery-info';
import { Dispatcher } from './dispatcher';
import { decodeEnvelope, encodeAnswer, encodeError, toWire, type Envelope } from './envelope';
import { patternOf } from './handlers';
import { nestLogger } from './logger';
import { outcomeOf, startTimer, type RpcMetrics } from './metrics';
import type { ConsumeOptions, Consumer, Delivery, RpcLogger, RpcTransport } from './transport';

export interface RpcServerOptions {
  readonly contracts: readonly Contract[];
  /** Hosts that this process serves at first (`host` contracts). */
  readonly hosts?: readonly string[];
  /** Names this process' agent queue; stable over restarts. Needed for `host` contracts. */
  readonly instance?: string;
  /** Casts handled at once; 32. */
  readonly concurrency?: number;
  /** Calls handled at once; 256. */
  readonly callConcurrency?: number;
  /** Casts handled at once for one host; unbounded. */
  readonly hostConcurrency?: number;
  /** Calls and casts of one key run one at a time, in order of arrival. Undefined: no order. */
  readonly serialKey?: (
    request: unknown,
    message: { readonly pattern: string; readonly host?: string },
  ) => string | undefined;
  /** Milliseconds that `close` waits for handlers before it leaves their casts to be redelivered; 10 000. */
  readonly drainMs?: number;
  readonly logger?: RpcLogger;
  /** Where durations and outcomes are counted (side `server`). */
  readonly metrics?: RpcMetrics;
}

type Handler = (ctx: RequestContext, request: unknown) => Promise<unknown>;

/** A method of a contract together with the code that handles it. */
interface Bound {
  readonly validator: CompiledDto<object>;
  readonly handle: Handler;
}

/**
 * The server strategy of Nest's microservices over any RpcTransport. Handlers are Nest's message handlers, called as
 * `(ctx, request)`. `serveRpc` binds them directly; under `connectMicroservice` they pass through Nest's own proxies,
 * whose exception filter flattens errors, so that a filter must be registered that lets FractusError through.
 */
export class RpcServer extends Server implements CustomTransportStrategy {
  override readonly transportId = Symbol.for('fractus.rpc');
  private readonly dispatcher: Dispatcher;
  private readonly log: RpcLogger;
  private readonly bound = new Map<string, Bound>();
  private consumers: { contract: Contract; consumer: Consumer }[] = [];

  constructor(
    private readonly transport: RpcTransport,
    private readonly options: RpcServerOptions,
  ) {
    super();
    this.log = options.logger ?? nestLogger();
    const { concurrency = 32, callConcurrency = 256, hostConcurrency = Infinity } = options;
    this.dispatcher = new Dispatcher({ cast: concurrency, call: callConcurrency, perHost: hostConcurrency });
  }

  listen(callback: (e?: unknown) => void): void {
    this.start().then(() => callback(), callback);
  }

  /** Consumes; rejects when a handler is missing or a host is taken, and then serves nothing. */
  async start(): Promise<void> {
    const { contracts, hosts = [] } = this.options;
    for (const contract of contracts) this.bind(contract);
    try {
      for (const contract of contracts) {
        const consumer = await this.transport.consume(this.consumeOptions(contract), (d) => this.receive(d));
        this.consumers.push({ contract, consumer });
      }
      await Promise.all(hosts.map((host) => this.addHost(host)));
    } catch (e) {
      await this.kill();
      throw e;
    }
  }

  async addHost(host: string): Promise<void> {
    await Promise.all(this.agents().map((c) => c.addHost(host)));
  }

  async removeHost(host: string): Promise<void> {
    await Promise.all(this.agents().map((c) => c.removeHost(host)));
  }

  /** Takes nothing more, gives back what has not started, waits for what runs, delivers the replies, ends. */
  async close(): Promise<void> {
    const consumers = this.consumers.splice(0).map((c) => c.consumer);
    await Promise.all(consumers.map((c) => c.stop()));
    this.dispatcher.releaseWaiting();
    if (!(await this.drained()))
      this.log.warn({ drainMs: this.options.drainMs }, 'RPC handlers still run; their casts will be redelivered');
    await Promise.all(consumers.map((c) => c.close()));
  }

  /** Ends without a drain, as a crash would. */
  async kill(): Promise<void> {
    await Promise.all(this.consumers.splice(0).map((c) => c.consumer.kill()));
  }

  on(): void {}

  unwrap<T>(): T {
    return this.transport as T;
  }

  private agents(): Consumer[] {
    return this.consumers.filter((c) => c.contract.routing === 'host').map((c) => c.consumer);
  }

  private async drained(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), this.options.drainMs ?? 10_000);
    });
    const done = await Promise.race([this.dispatcher.drained().then(() => true), late]);
    clearTimeout(timer);
    return done;
  }

  private bind(contract: Contract): void {
    if (contract.routing === 'host' && !this.options.instance)
      throw new TypeError(`serving ${contract.topic} needs an instance name`);
    for (const [name, spec] of Object.entries(contract.methods)) {
      const pattern = patternOf(contract, name);
      const handler = this.getHandlerByPattern(pattern);
      if (!handler) throw new TypeError(`no controller handles ${pattern}`);
      this.bound.set(pattern, {
        validator: compileDto<object>(spec.request, { unknown: 'drop' }),
        handle: handler as Handler,
      });
    }
  }

  private consumeOptions(contract: Contract): ConsumeOptions {
    const kinds = new Set(Object.values(contract.methods).map((m) => m.kind));
    const work = kinds.has('call') || kinds.has('cast');
    const { concurrency = 32, callConcurrency = 256, instance = '' } = this.options;
    return {
      topic: contract.topic,
      queue: !work ? 'none' : contract.routing === 'host' ? 'agent' : 'work',
      instance,
      // more than can run at once, so that casts waiting for their key do not keep others from starting
      castPrefetch: concurrency * 4,
      callPrefetch: callConcurrency * 4,
      news: kinds.has('news'),
    };
  }

  private receive(d: Delivery): void {
    const bound = this.bound.get(d.pattern);
    if (!bound) return this.refuse(d, unimplemented(`Nobody here handles ${d.pattern}`, { code: 'rpc.method' }));
    let envelope: Envelope;
    let request: unknown;
    let key: string | undefined;
    try {
      envelope = decodeEnvelope(d.body);
      request = bound.validator.parse(envelope.data);
      key = this.options.serialKey?.(request, d);
    } catch (e) {
      const { message } = e as Error;
      const details = isFractusError(e) ? e.details : undefined;
      return this.refuse(d, invalid(`${d.pattern}: ${message}`, { code: 'rpc.request', details, cause: e }));
    }
    noteDelivery(envelope.ctx, d);
    const run = () => this.run(d, bound, envelope.ctx, request);
    if (d.kind === 'news') this.dispatcher.submit({ pool: 'news', key: `news ${d.pattern}`, run });
    else if (d.kind === 'cast')
      this.dispatcher.submit({ pool: 'cast', key, host: d.host, run, release: () => d.release() });
    else this.dispatcher.submit({ pool: 'call', key, run });
  }

  private async run(d: Delivery, bound: Bound, ctx: RequestContext, request: unknown): Promise<void> {
    if (d.deadline !== undefined && d.deadline <= Date.now()) return d.ack(); // its caller has gone
    const done = startTimer(this.options.metrics, 'server', d.pattern);
    try {
      let answer = await bound.handle(ctx, request);
      if (isObservable(answer)) answer = await lastValueFrom(answer, { defaultValue: undefined });
      if (d.kind === 'call') d.reply(encodeAnswer(d.pattern, answer));
      else d.ack();
      done('ok');
    } catch (e) {
      done(outcomeOf(e));
      this.failed(d, ctx, e);
    }
  }

  private failed(d: Delivery, ctx: RequestContext, e: unknown): void {
    const error = toWire(d.pattern, e);
    const fields = { err: e, pattern: d.pattern, messageId: d.id, requestId: ctx.requestId, attempt: d.attempt };
    if (d.kind === 'call') {
      if (error.kind === 'internal') this.log.error(fields, `${d.pattern} failed`);
      return d.reply(encodeError(error));
    }
    this.log.warn(fields, `${d.pattern} failed`);
    // a dead letter is for operators, who need the cause; the message itself may hold secrets anyway
    if (d.kind === 'cast') d.retry(`${error.kind}: ${e instanceof Error ? `${e.name}: ${e.message}` : String(e)}`);
    else d.ack();
  }

  private refuse(d: Delivery, error: Error): void {
    this.log.warn({ err: error, pattern: d.pattern, messageId: d.id }, 'a message was refused');
    const wire = toWire(d.pattern, error);
    if (d.kind === 'call') d.reply(encodeError(wire));
    else if (d.kind === 'cast') d.dead(`${wire.kind}: ${wire.message}`);
    else d.ack();
  }
}
