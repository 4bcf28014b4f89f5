import { AsyncResource } from 'node:async_hooks';
import { Fifo } from './fifo';
import type { ConsumeOptions, Delivery, DeliveryKind } from './transport';

/** Bound once, so that fake timers of a test do not hold messages up. */
const later = setImmediate;

/** A message inside the bus. `attempt` counts the deliveries so far. */
export interface Message {
  readonly id: string;
  readonly kind: DeliveryKind;
  readonly pattern: string;
  readonly body: string;
  readonly topic: string;
  readonly host?: string;
  readonly sender?: string;
  attempt: number;
  redelivered: boolean;
  readonly pending?: PendingCall;
}

export interface PendingCall {
  readonly deadline: number;
  settled: boolean;
  answer(text: string): void;
  fail(e: Error): void;
}

/** What becomes of a cast after its delivery; the bus decides. */
export interface Outcomes {
  retry(message: Message, reason: string): void;
  dead(message: Message, reason: string): void;
  /** The consumer ended with the message in hand. */
  redeliver(message: Message): void;
  release(message: Message): void;
}

/** The queue of a work topic or of an agent: calls and casts in a lane each, consumers taking turns. */
export class MessageQueue {
  readonly casts = new Fifo<Message>();
  readonly calls = new Fifo<Message>();
  readonly consumers: QueueConsumer[] = [];
  private turn = 0;
  private scheduled = false;

  constructor(readonly name: string) {}

  lane(kind: DeliveryKind): Fifo<Message> {
    return kind === 'call' ? this.calls : this.casts;
  }

  put(message: Message, first = false): void {
    const lane = this.lane(message.kind);
    if (first) lane.unshift(message);
    else lane.push(message);
    this.schedule();
  }

  add(consumer: QueueConsumer): void {
    this.consumers.push(consumer);
    this.schedule();
  }

  remove(consumer: QueueConsumer): void {
    const at = this.consumers.indexOf(consumer);
    if (at >= 0) this.consumers.splice(at, 1);
  }

  schedule(): void {
    if (this.scheduled || this.consumers.length === 0) return;
    this.scheduled = true;
    later(() => {
      this.scheduled = false;
      this.pump(this.calls, 'call');
      this.pump(this.casts, 'cast');
    });
  }

  private pump(lane: Fifo<Message>, kind: 'call' | 'cast'): void {
    while (lane.length > 0) {
      const consumer = this.next(kind);
      if (!consumer) return;
      const message = lane.shift();
      if (message && !message.pending?.settled) consumer.hand(message);
    }
  }

  private next(kind: 'call' | 'cast'): QueueConsumer | undefined {
    const n = this.consumers.length;
    for (let i = 0; i < n; i++) {
      const consumer = this.consumers[(this.turn + i) % n];
      if (consumer.credit(kind) <= 0) continue;
      this.turn = (this.turn + i + 1) % n;
      return consumer;
    }
    return undefined;
  }
}

const MAX_NEWS_IN_HAND = 10_000;

/** One process' subscription: what it holds unacknowledged, and how much more it may be handed. */
export class QueueConsumer {
  private state: 'open' | 'stopped' | 'ended' = 'open';
  private readonly inHand = new Set<HandedOut>();
  private readonly count = { call: 0, cast: 0, news: 0 };
  // handlers must not run in the sender's async context: a unit of work open there would be joined
  private readonly scope = new AsyncResource('FractusRpcConsumer');

  constructor(
    private readonly options: ConsumeOptions,
    private readonly deliver: (d: Delivery) => void,
    private readonly outcomes: Outcomes,
    private readonly queue: MessageQueue | undefined,
  ) {}

  get stopped(): boolean {
    return this.state !== 'open';
  }

  credit(kind: 'call' | 'cast'): number {
    return (kind === 'call' ? this.options.callPrefetch : this.options.castPrefetch) - this.count[kind];
  }

  hand(message: Message): void {
    message.attempt++;
    const handed = new HandedOut(message, this, this.outcomes);
    if (message.kind !== 'news') this.count[message.kind]++;
    this.inHand.add(handed);
    this.scope.runInAsyncScope(this.deliver, undefined, handed);
  }

  /** False when the news was dropped for a backlog. */
  tell(message: Message): boolean {
    if (this.count.news >= MAX_NEWS_IN_HAND) return false;
    this.count.news++;
    later(() => {
      if (this.state === 'open') this.hand(message);
    });
    return true;
  }

  stop(): void {
    if (this.state === 'open') this.state = 'stopped';
    this.queue?.remove(this);
  }

  end(): void {
    if (this.state === 'ended') return;
    this.stop();
    this.state = 'ended';
    // the last handed out goes back first, so that the first is first again
    for (const handed of [...this.inHand].reverse()) {
      if (handed.kind === 'cast') this.outcomes.redeliver(handed.message);
    }
    this.inHand.clear();
  }

  /** Whether the delivery was still to be settled. */
  settle(handed: HandedOut): boolean {
    if (!this.inHand.delete(handed)) return false;
    this.count[handed.kind]--;
    this.queue?.schedule();
    return true;
  }
}

class HandedOut implements Delivery {
  readonly id: string;
  readonly kind: DeliveryKind;
  readonly pattern: string;
  readonly body: string;
  readonly host: string | undefined;
  readonly sender: string | undefined;
  readonly attempt: number;
  readonly redelivered: boolean;
  readonly deadline: number | undefined;

  constructor(
    readonly message: Message,
    private readonly consumer: QueueConsumer,
    private readonly outcomes: Outcomes,
  ) {
    this.id = message.id;
    this.kind = message.kind;
    this.pattern = message.pattern;
    this.body = message.body;
    this.host = message.host;
    this.sender = message.sender;
    this.attempt = message.attempt;
    this.redelivered = message.redelivered;
    this.deadline = message.pending?.deadline;
  }

  reply(text: string): void {
    if (this.consumer.settle(this)) this.message.pending?.answer(text);
  }

  ack(): void {
    this.consumer.settle(this);
  }

  retry(reason: string): void {
    if (this.consumer.settle(this)) this.outcomes.retry(this.message, reason);
  }

  dead(reason: string): void {
    if (this.consumer.settle(this)) this.outcomes.dead(this.message, reason);
  }

  release(): void {
    if (this.consumer.settle(this)) this.outcomes.release(this.message);
  }
}
