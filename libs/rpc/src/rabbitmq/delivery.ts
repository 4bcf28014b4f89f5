import type { ConsumeMessage } from 'amqplib';
import type { Delivery, DeliveryKind } from '../transport';

/** Headers of our own; the broker adds `x-delivery-count` and, to what it dead-letters, `x-death`. */
export interface Headers {
  readonly topic?: string;
  readonly host?: string;
  /** Calls: epoch milliseconds. */
  readonly deadline?: number;
  /** Casts that were published again: deliveries before that. */
  readonly attempts?: number;
  /** Casts that were published again: who sent them first. */
  readonly sender?: string;
  /** Dead letters. */
  readonly reason?: string;
  readonly deadAt?: number;
  readonly 'x-delivery-count'?: number;
}

export const headersOf = (m: { properties: { headers?: object } }): Headers => (m.properties.headers ?? {}) as Headers;

/** What the session that handed a delivery out does with it. */
export interface Hand {
  /** False when the session has ended: the broker delivers it again. */
  settle(d: RabbitDelivery): boolean;
  answer(d: RabbitDelivery, text: string): void;
  ack(d: RabbitDelivery): void;
  retry(d: RabbitDelivery, reason: string): void;
  dead(d: RabbitDelivery, reason: string): void;
  release(d: RabbitDelivery): void;
}

export class RabbitDelivery implements Delivery {
  readonly id: string;
  readonly pattern: string;
  readonly body: string;
  readonly topic: string;
  readonly host: string | undefined;
  readonly attempt: number;
  readonly redelivered: boolean;
  readonly deadline: number | undefined;
  readonly sender: string;
  private settled = false;

  /** `trusted`: users whose word on the first sender is taken. */
  constructor(
    readonly message: ConsumeMessage,
    readonly kind: DeliveryKind,
    topic: string,
    trusted: ReadonlySet<string>,
    private readonly hand: Hand,
  ) {
    const { messageId, type, userId } = message.properties as { messageId?: string; type?: string; userId?: string };
    const headers = headersOf(message);
    this.id = messageId ?? '';
    this.pattern = type ?? '';
    this.body = message.content.toString();
    this.topic = topic;
    this.host = headers.host;
    this.attempt = (headers.attempts ?? 0) + (headers['x-delivery-count'] ?? 0) + 1;
    this.redelivered = this.attempt > 1;
    this.deadline = kind === 'call' ? headers.deadline : undefined;
    // who does not say is nobody: absent would mean a transport without users
    const user = userId ?? '';
    this.sender = headers.sender !== undefined && trusted.has(user) ? headers.sender : user;
  }

  reply(text: string): void {
    if (!this.settle()) return;
    this.hand.answer(this, text);
    this.hand.ack(this);
  }

  ack(): void {
    if (this.settle()) this.hand.ack(this);
  }

  retry(reason: string): void {
    if (this.settle()) this.hand.retry(this, reason);
  }

  dead(reason: string): void {
    if (this.settle()) this.hand.dead(this, reason);
  }

  release(): void {
    if (this.settle()) this.hand.release(this);
  }

  /** Whether this is the first settling, and in time. */
  private settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    return this.hand.settle(this);
  }
}
