import type { ChannelModel, ConfirmChannel } from 'amqplib';
import type { FractusError } from '@fractus/objects';
import { unroutable } from '../errors';
import type {
  Address,
  ConsumeOptions,
  Consumer,
  DeadLetter,
  DeadLetters,
  Delivery,
  OutgoingMessage,
  RpcTransport,
} from '../transport';
import { CallChannel } from './calls';
import { closeChannel, silenced, within } from './channels';
import { RabbitConsumer } from './consumer';
import { RabbitDeadLetters } from './dead-letters';
import { brokerError, blocked, closed, connectionLost } from './failures';
import { RabbitLink } from './link';
import { settingsOf, type RabbitOptions, type RabbitSettings } from './options';
import { ConfirmedPublisher, type Publication } from './publisher';
import { Requeue } from './requeue';
import { routingKey, Topology } from './topology';

export interface RabbitTransport extends RpcTransport {
  /** Resolves when the broker can be reached; rejects with a refusal at once, otherwise after `patienceMs`. */
  ready(): Promise<void>;
  /** Why `connected` is false, for the readiness of a process. */
  readonly why: string | undefined;
}

/** How long the last casts' confirmations, and the goodbyes of the channels, hold up a close. */
const CLOSE_MS = 5000;

/**
 * The transport of a cloud of many processes. It connects at once and for ever; what the broker refuses is logged as an
 * error and shown by `why`. Two connections: a broker short of memory stops reading from those that publish, and
 * acknowledgements must not be held up by that.
 *
 * Throws TypeError when an option makes no sense.
 */
export function createRabbitTransport(options: RabbitOptions): RabbitTransport {
  return new Rabbit(settingsOf(options));
}

class Rabbit implements RabbitTransport {
  readonly deadLetters: DeadLetters;
  private readonly topology: Topology;
  private readonly calls: CallChannel;
  private readonly publisher: ConfirmedPublisher;
  private readonly requeue: Requeue;
  private readonly out: RabbitLink;
  private readonly in: RabbitLink;
  private readonly consumers = new Set<RabbitConsumer>();
  private readonly casts = new Set<Promise<void>>();
  private consuming = false;
  private ended: Promise<void> | undefined;

  constructor(private readonly settings: RabbitSettings) {
    this.topology = new Topology(settings);
    this.calls = new CallChannel(settings, this.topology);
    this.publisher = new ConfirmedPublisher(settings);
    this.out = new RabbitLink(settings, 'publish', {
      up: (connection) => this.publishOn(connection),
      down: () => {
        this.calls.down();
        this.publisher.down();
      },
      blocked: (is) => {
        this.calls.setBlocked(is);
        this.publisher.setBlocked(is);
      },
    });
    this.in = new RabbitLink(settings, 'consume', {
      up: async () => undefined,
      ready: () => this.consumers.forEach((c) => c.reattach()),
      down: () => this.consumers.forEach((c) => c.connectionLost()),
    });
    this.requeue = new Requeue(settings, this.topology, this.publisher, this.out);
    this.deadLetters = new RabbitDeadLetters(settings, this.topology, this.out, (l, sender) => this.resend(l, sender));
    this.out.start();
  }

  get connected(): boolean {
    return this.problem === undefined;
  }

  get why(): string | undefined {
    return this.problem?.message;
  }

  async ready(): Promise<void> {
    await this.out.whenUp(this.settings.patienceMs);
  }

  async call(to: Address, message: OutgoingMessage, deadline: number): Promise<string> {
    // while the first connection is being made; later a lost one is told at once
    if (!this.out.current && !this.out.why && !this.ended) await this.firstConnection(deadline - Date.now());
    return this.calls.call(to, message, deadline);
  }

  async cast(to: Address, message: OutgoingMessage): Promise<void> {
    if (this.ended) throw closed();
    const cast = this.publishCast(to, message);
    this.casts.add(cast);
    try {
      await cast;
    } finally {
      this.casts.delete(cast);
    }
  }

  async publish(topic: string, message: OutgoingMessage): Promise<void> {
    if (!this.out.current && !this.out.why && !this.ended) await this.firstConnection(this.settings.patienceMs);
    return this.calls.publish(topic, message);
  }

  async consume(options: ConsumeOptions, deliver: (d: Delivery) => void): Promise<Consumer> {
    if (this.ended) throw closed();
    this.consuming = true;
    this.in.start();
    const { settings, topology, calls, requeue } = this;
    const parts = { settings, topology, calls, requeue };
    const consumer = new RabbitConsumer(parts, this.in, options, deliver, (c) => this.consumers.delete(c));
    try {
      await consumer.start();
    } catch (e) {
      await consumer.kill();
      throw e;
    }
    this.consumers.add(consumer);
    if (this.in.current === undefined) consumer.connectionLost();
    else if (!consumer.attached) consumer.reattach();
    return consumer;
  }

  close(): Promise<void> {
    this.ended ??= this.end();
    return this.ended;
  }

  private async end(): Promise<void> {
    await Promise.all([...this.consumers].map((c) => c.close()));
    if (this.out.current) await within(CLOSE_MS, Promise.allSettled([...this.casts]));
    await Promise.all([this.publisher.close(CLOSE_MS), this.calls.close()]);
    await Promise.all([this.in.close(), this.out.close()]);
  }

  private get problem(): FractusError | undefined {
    if (this.ended) return closed();
    if (!this.out.current) return this.out.why ?? connectionLost();
    if (this.out.blocked) return blocked();
    if (this.consuming && !this.in.current) return this.in.why ?? connectionLost();
    for (const consumer of this.consumers) if (!consumer.attached) return connectionLost();
    return undefined;
  }

  private async firstConnection(ms: number): Promise<void> {
    await this.out.whenUp(Math.max(Math.min(ms, this.settings.patienceMs), 0));
  }

  private async publishOn(connection: ChannelModel): Promise<void> {
    const broken = (e: unknown): void => this.out.reset(e);
    const confirmed = silenced(await connection.createConfirmChannel());
    await this.topology.declareBase(confirmed);
    await this.calls.up(silenced(await connection.createChannel()), broken);
    const renew = (old: ConfirmChannel): void => {
      void closeChannel(old);
      connection.createConfirmChannel().then((next) => this.publisher.up(silenced(next), broken, renew), broken);
    };
    this.publisher.up(confirmed, broken, renew);
  }

  private async publishCast(to: Address, message: OutgoingMessage, sender?: string): Promise<void> {
    const { topic, host } = to;
    const publication: Publication = {
      exchange: this.topology.casts,
      key: routingKey(to),
      body: message.body,
      options: { messageId: message.id, type: message.pattern, headers: { topic, host, sender } },
    };
    if ((await this.publisher.publish(publication)) === 'taken') return;
    if (host !== undefined) throw unroutable(to);
    // nobody has ever consumed the topic: its queue is made here, so that the cast is there when somebody does
    await this.declareWorkQueue(topic);
    if ((await this.publisher.publish(publication)) === 'returned') throw unroutable(to);
  }

  private async declareWorkQueue(topic: string): Promise<void> {
    const channel = await this.out.channel(this.settings.patienceMs);
    try {
      await this.topology.declareWorkQueue(channel, topic);
    } catch (e) {
      throw brokerError(e);
    } finally {
      await closeChannel(channel);
    }
  }

  private async resend(letter: DeadLetter, sender: string | undefined): Promise<void> {
    const { topic, host, id, pattern, body } = letter;
    await this.publishCast({ topic, host }, { id, pattern, body }, sender);
  }
}
