import { unavailable } from '@fractus/objects';
import { pastDeadline, unroutable } from './errors';
import { InProcessBus, type BusLimits } from './in-process-bus';
import type { PendingCall } from './in-process-queue';
import { nestLogger } from './logger';
import type {
  Address,
  ConsumeOptions,
  Consumer,
  DeadLetters,
  Delivery,
  OutgoingMessage,
  RpcLogger,
  RpcTransport,
} from './transport';

export interface InProcessOptions extends Partial<BusLimits> {
  /** Unanswered calls of one connection; more reject with `unavailable`. 10 000. */
  readonly maxPendingCalls?: number;
  readonly logger?: RpcLogger;
  /** As whom this connection sends: what handlers see as `sender`. */
  readonly user?: string;
}

export interface InProcessTransport extends RpcTransport {
  /** Another connection to the same bus, as another process would have: own user, own pending calls, own close. */
  connect(options?: { readonly user?: string }): InProcessTransport;
}

const BACKOFF_MS = { first: 200, most: 30_000 };

const DEFAULTS: BusLimits = {
  /** Calls, and casts, that wait in one queue; more reject with `unavailable`. */
  maxQueued: 100_000,
  /** Deliveries of one cast before it is dead-lettered. */
  deliveryLimit: 5,
  maxDeadLetters: 10_000,
  retryDelayMs: (attempt) => Math.min(BACKOFF_MS.first * 2 ** (attempt - 1), BACKOFF_MS.most),
};

/**
 * The transport of the embedded cloud: a broker's semantics inside one process. Messages cross it as text, handlers run
 * outside the sender's stack and async context. What it holds is lost with the process, which the design allows:
 * the task row is the outbox and every cast is a hint.
 */
export function createInProcessTransport(options: InProcessOptions = {}): InProcessTransport {
  const { maxPendingCalls = 10_000, logger = nestLogger(), user, ...limits } = options;
  const bus = new InProcessBus({ ...DEFAULTS, ...limits }, logger);
  return new Connection(bus, maxPendingCalls, user);
}

class Connection implements InProcessTransport {
  private readonly pending = new Set<PendingCall>();
  private readonly consumers = new Set<Consumer>();
  private open = true;

  constructor(
    private readonly bus: InProcessBus,
    private readonly maxPendingCalls: number,
    private readonly user: string | undefined,
  ) {}

  get connected(): boolean {
    return this.open;
  }

  get deadLetters(): DeadLetters {
    return this.bus.deadLetters;
  }

  connect(options: { user?: string } = {}): InProcessTransport {
    return new Connection(this.bus, this.maxPendingCalls, options.user);
  }

  call(to: Address, message: OutgoingMessage, deadline: number): Promise<string> {
    return new Promise((resolve, reject) => {
      this.checkOpen();
      const queue = this.bus.route(to);
      if (!queue) throw unroutable(to);
      if (this.pending.size >= this.maxPendingCalls) {
        throw unavailable(`Too many calls are pending: ${message.pattern} was not sent`, {
          code: 'rpc.busy',
          retryAfter: 1,
        });
      }
      const pending = this.expect(message.pattern, deadline, resolve, reject);
      try {
        this.bus.enqueue(queue, {
          ...to,
          ...message,
          kind: 'call',
          sender: this.user,
          attempt: 0,
          redelivered: false,
          pending,
        });
      } catch (e) {
        pending.fail(e as Error);
      }
    });
  }

  async cast(to: Address, message: OutgoingMessage): Promise<void> {
    this.checkOpen();
    this.bus.accept({ ...to, ...message, kind: 'cast', sender: this.user, attempt: 0, redelivered: false });
  }

  async publish(topic: string, message: OutgoingMessage): Promise<void> {
    this.checkOpen();
    this.bus.publish({ topic, ...message, kind: 'news', sender: this.user, attempt: 0, redelivered: false });
  }

  async consume(options: ConsumeOptions, deliver: (d: Delivery) => void): Promise<Consumer> {
    this.checkOpen();
    const consumer = this.bus.consume(options, deliver);
    this.consumers.add(consumer);
    return consumer;
  }

  async close(): Promise<void> {
    if (!this.open) return;
    this.open = false;
    for (const call of this.pending) call.fail(closed());
    await Promise.all([...this.consumers].map((c) => c.close()));
    this.consumers.clear();
  }

  private checkOpen(): void {
    if (!this.open) throw closed();
  }

  private expect(
    pattern: string,
    deadline: number,
    resolve: (text: string) => void,
    reject: (e: Error) => void,
  ): PendingCall {
    const settle = (): boolean => {
      if (call.settled) return false;
      call.settled = true;
      clearTimeout(timer);
      this.pending.delete(call);
      return true;
    };
    const call: PendingCall = {
      deadline,
      settled: false,
      answer: (text) => void (settle() && resolve(text)),
      fail: (e) => void (settle() && reject(e)),
    };
    const late = () => call.fail(pastDeadline(pattern));
    // timers may fire a millisecond early by the wall clock; the callee must find the deadline passed when the caller has
    const timer = setTimeout(late, Math.min(deadline - Date.now() + 1, 2 ** 31 - 1));
    this.pending.add(call);
    return call;
  }
}

const closed = () => unavailable('The RPC transport is closed', { code: 'rpc.closed' });
