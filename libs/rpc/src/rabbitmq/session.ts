import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { conflict } from '@fractus/objects';
import type { ConsumeOptions, Delivery } from '../transport';
import type { CallChannel } from './calls';
import { closeChannel, GOODBYE_MS, silenced, within } from './channels';
import { RabbitDelivery, type Hand } from './delivery';
import { brokerError, refusalOf } from './failures';
import type { RabbitSettings } from './options';
import type { Requeue } from './requeue';
import { routingKey, type Topology } from './topology';

export interface SessionParts {
  readonly settings: RabbitSettings;
  readonly topology: Topology;
  readonly calls: CallChannel;
  readonly requeue: Requeue;
}

const MAX_NEWS_IN_HAND = 10_000;
const ATTEMPTS_AT_CALLS = 5;

/** A consumer's channels on one connection. When the connection is lost its deliveries can no longer be settled. */
export class Session implements Hand {
  private readonly channels: Channel[] = [];
  private readonly cancels: (() => Promise<unknown>)[] = [];
  private readonly inHand = new Map<RabbitDelivery, Channel>();
  private readonly moves = new Set<Promise<void>>();
  private released: RabbitDelivery[] = [];
  private newsInHand = 0;
  private queue = '';
  private ops: Channel | undefined;
  /** Set when the broker took a queue away from us. */
  private cancelled: Error | undefined;
  private alive = true;
  private readonly trusted: ReadonlySet<string>;

  private constructor(
    private readonly parts: SessionParts,
    readonly connection: ChannelModel,
    private readonly options: ConsumeOptions,
    private readonly deliver: (d: Delivery) => void,
    private readonly broken: (e: unknown) => void,
  ) {
    this.trusted = new Set([parts.settings.user, ...parts.settings.trustedUsers]);
  }

  /** Declares, binds, consumes. `broken` is called when the broker ends any part of it later. */
  static async open(
    parts: SessionParts,
    connection: ChannelModel,
    options: ConsumeOptions,
    hosts: Iterable<string>,
    deliver: (d: Delivery) => void,
    broken: (e: unknown) => void,
  ): Promise<Session> {
    const session = new Session(parts, connection, options, deliver, broken);
    try {
      await session.setUp([...hosts]);
      return session;
    } catch (e) {
      await session.end();
      throw brokerError(e);
    }
  }

  async bind(host: string): Promise<void> {
    const key = routingKey({ topic: this.options.topic, host });
    const { calls, casts } = this.parts.topology;
    await Promise.all([
      this.ops?.bindQueue(this.queue, casts, key),
      this.ops?.bindQueue(`${this.queue}.calls`, calls, key),
    ]);
  }

  async unbind(host: string): Promise<void> {
    const key = routingKey({ topic: this.options.topic, host });
    const { calls, casts } = this.parts.topology;
    await Promise.all([
      this.ops?.unbindQueue(this.queue, casts, key),
      this.ops?.unbindQueue(`${this.queue}.calls`, calls, key),
    ]);
  }

  /** No further deliveries. */
  async stop(): Promise<void> {
    const cancelled = this.cancels.splice(0).map((cancel) => cancel().catch(() => undefined));
    await within(GOODBYE_MS, Promise.all(cancelled));
  }

  /** Lets go of what is in hand, after what is under way has been moved (at most `ms`). */
  async close(ms: number): Promise<void> {
    this.flushReleased();
    await within(ms, Promise.allSettled([...this.moves]));
    await this.end();
  }

  /** Ends at once; the broker delivers again what is not acknowledged. */
  async end(): Promise<void> {
    this.alive = false;
    this.inHand.clear();
    await Promise.all(this.channels.splice(0).map((c) => closeChannel(c)));
  }

  private async setUp(hosts: readonly string[]): Promise<void> {
    const { topic, queue, instance } = this.options;
    const { topology } = this.parts;
    const ops = (this.ops = await this.channel());
    await topology.declareBase(ops);
    if (queue === 'work') this.queue = await topology.declareWorkQueue(ops, topic);
    if (queue === 'agent') this.queue = await topology.declareAgentQueue(ops, topic, instance);
    if (queue !== 'none') {
      await this.consumeCalls(hosts);
      await this.consumeCasts();
    }
    if (this.options.news) await this.consumeNews();
    // nobody listens to `broken` before the session is in use
    if (this.cancelled) throw this.cancelled;
  }

  private async consumeCasts(): Promise<void> {
    const channel = await this.channel();
    await channel.prefetch(this.options.castPrefetch);
    await this.consume(channel, this.queue, {}, (m) => this.cast(m, channel));
  }

  /** The queue dies with its last consumer: it may go between being declared and being consumed. */
  private async consumeCalls(hosts: readonly string[]): Promise<void> {
    const { topic, queue, callPrefetch } = this.options;
    for (let attempt = 1; ; attempt++) {
      const channel = await this.channel();
      await channel.prefetch(callPrefetch);
      try {
        const calls = await this.parts.topology.declareCalls(channel, this.queue);
        if (queue === 'work') await channel.bindQueue(calls, this.parts.topology.calls, topic);
        const exclusive = queue === 'agent';
        // an agent's hosts are bound after its queue is known to be its own, and before a message can come
        await this.consume(channel, calls, { exclusive }, (m) => this.call(m, channel));
        await Promise.all(hosts.map((host) => this.bind(host)));
        return;
      } catch (e) {
        if (queue === 'agent' && refusalOf(e) === 403 && String(e).includes('exclusive'))
          throw conflict(`Another process serves the agent queue ${this.queue}`, { code: 'rpc.instance_taken' });
        if (refusalOf(e) !== 404 || attempt === ATTEMPTS_AT_CALLS) throw e;
      }
    }
  }

  private async consumeNews(): Promise<void> {
    const channel = await this.channel();
    const queue = await this.parts.topology.subscribe(channel, this.options.topic);
    await this.consume(channel, queue, { noAck: true, exclusive: true }, (m) => this.news(m, channel));
  }

  private async channel(): Promise<Channel> {
    const channel = silenced(await this.connection.createChannel());
    channel.on('error', (e) => this.fail(e));
    this.channels.push(channel);
    return channel;
  }

  private async consume(
    channel: Channel,
    queue: string,
    options: { noAck?: boolean; exclusive?: boolean },
    take: (m: ConsumeMessage) => void,
  ): Promise<void> {
    const receive = (m: ConsumeMessage | null): void => {
      if (!m) this.fail((this.cancelled = new Error(`RabbitMQ ended the consumer of ${queue}`)));
      else if (this.alive) take(m);
    };
    const { consumerTag } = await channel.consume(queue, receive, options);
    this.cancels.push(() => channel.cancel(consumerTag));
  }

  private fail(e: unknown): void {
    if (!this.alive) return;
    this.broken(e);
  }

  private cast(m: ConsumeMessage, channel: Channel): void {
    const d = this.delivery(m, 'cast', channel);
    const before = d.attempt - 1;
    if (before < this.parts.settings.deliveryLimit) return this.deliver(d);
    this.bury(d, `its consumer died in each of ${before} deliveries`, before);
  }

  private call(m: ConsumeMessage, channel: Channel): void {
    const d = this.delivery(m, 'call', channel);
    if (!m.fields.redelivered) return this.deliver(d);
    const { pattern, deadline = 0 } = d;
    this.parts.calls.answer(m, `${pattern}: the process that had taken the call is gone`, deadline, true);
    this.ack(d);
  }

  private news(m: ConsumeMessage, channel: Channel): void {
    if (this.newsInHand >= MAX_NEWS_IN_HAND) {
      const { type: pattern } = m.properties as { type?: string };
      return this.parts.settings.logger.warn({ pattern }, 'news dropped: the subscriber is too slow');
    }
    this.newsInHand++;
    this.deliver(this.delivery(m, 'news', channel));
  }

  private delivery(m: ConsumeMessage, kind: Delivery['kind'], channel: Channel): RabbitDelivery {
    const d = new RabbitDelivery(m, kind, this.options.topic, this.trusted, this);
    this.inHand.set(d, channel);
    return d;
  }

  settle(d: RabbitDelivery): boolean {
    if (!this.alive || !this.inHand.has(d)) return false;
    if (d.kind === 'news') this.newsInHand--;
    return true;
  }

  answer(d: RabbitDelivery, text: string): void {
    this.parts.calls.answer(d.message, text, d.deadline ?? Date.now());
  }

  ack(d: RabbitDelivery): void {
    const channel = this.inHand.get(d);
    this.inHand.delete(d);
    if (!channel || !this.alive || d.kind === 'news') return;
    try {
      channel.ack(d.message);
    } catch {
      // the channel is closing: it will be delivered again
    }
  }

  retry(d: RabbitDelivery, reason: string): void {
    if (d.attempt >= this.parts.settings.deliveryLimit)
      return this.bury(d, `gave up after ${d.attempt} deliveries: ${reason}`, d.attempt);
    this.move(d, () => this.parts.requeue.later(d, this.queue, () => this.alive));
  }

  dead(d: RabbitDelivery, reason: string): void {
    this.bury(d, reason, d.attempt);
  }

  release(d: RabbitDelivery): void {
    if (this.released.push(d) === 1) setImmediate(() => this.flushReleased());
  }

  private bury(d: RabbitDelivery, reason: string, attempts: number): void {
    this.move(d, () => this.parts.requeue.dead(d, reason, attempts, () => this.alive));
  }

  /** In the order they came, whatever the order they were given back in. */
  private flushReleased(): void {
    const all = this.released.splice(0);
    all.sort((a, b) => a.message.fields.deliveryTag - b.message.fields.deliveryTag);
    for (const d of all) this.move(d, () => this.parts.requeue.now(d, this.queue, () => this.alive));
  }

  private move(d: RabbitDelivery, elsewhere: () => Promise<void>): void {
    const channel = this.inHand.get(d);
    const moved = elsewhere().then(
      () => this.ack(d),
      (err: unknown) => this.notMoved(d, channel, err),
    );
    const move: Promise<void> = moved.finally(() => this.moves.delete(move));
    this.moves.add(move);
  }

  /** The copy could not be published: the original goes back, which counts as a delivery. */
  private notMoved(d: RabbitDelivery, channel: Channel | undefined, err: unknown): void {
    if (!this.alive || !this.inHand.delete(d)) return;
    this.parts.settings.logger.warn({ err, pattern: d.pattern, messageId: d.id }, 'a cast was given back to its queue');
    try {
      channel?.nack(d.message, false, true);
    } catch {
      // the channel is closing: it will be delivered again
    }
  }
}
