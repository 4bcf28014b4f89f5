/**
 * What exists in the broker, under one prefix. Arguments of a queue cannot be changed once it is declared, so they are
 * constants here wherever the library can do the counting itself.
 *
 * | name                    | what                                                                             |
 * |-------------------------|----------------------------------------------------------------------------------|
 * | `P.casts`, `P.calls`    | topic exchanges; routing key `<topic>` or `<topic>.<host>`                         |
 * | `P.<topic>`             | quorum queue of a work topic's casts                                               |
 * | `P.<topic>@<instance>`  | quorum queue of an agent process' casts; expires after a week without its process  |
 * | `<either of these>.calls` | transient queue, gone with its last consumer                                     |
 * | `P.<topic>.news`        | fan-out exchange; every subscriber has an exclusive queue                          |
 * | `<queue of casts>.retry.<ms>` | quorum queue that gives its messages back to that queue after a pause        |
 * | `P.dead`                | fan-out exchange for dead letters                                                  |
 * | `P.dead.letters`        | quorum queue of the dead letters                                                   |
 *
 * A user that may read only its own queues never sees what others were sent, nor what of theirs is to be tried again or
 * was given up: each of these has a name of its own.
 */
import { invalid } from '@fractus/objects';
import type { Channel } from 'amqplib';
import type { Address } from '../transport';
import type { RabbitSettings } from './options';

/** Returns of one message before the broker itself dead-letters it; only a net below the library's own, lower limit. */
const BROKER_DELIVERY_LIMIT = 100;
const UNUSED_QUEUE_EXPIRES_MS = 7 * 24 * 3_600_000;
const NEWS_QUEUE_LENGTH = 10_000;
/** One queue each; messages of one pause leave in the order they came, so none waits behind a longer pause. */
const PAUSES_MS = [50, 200, 400, 800, 1600, 3200, 6400, 12_800, 30_000, 120_000];

export class Topology {
  readonly casts: string;
  readonly calls: string;
  /** The exchange. */
  readonly dead: string;
  readonly deadQueue: string;
  /** An exclusive queue of this name is held by whoever reads the dead letters. */
  readonly deadReader: string;

  constructor(private readonly settings: RabbitSettings) {
    const { prefix } = settings;
    this.casts = `${prefix}.casts`;
    this.calls = `${prefix}.calls`;
    this.dead = `${prefix}.dead`;
    this.deadQueue = `${prefix}.dead.letters`;
    this.deadReader = `${prefix}.dead.reader`;
  }

  workQueue(topic: string): string {
    return `${this.settings.prefix}.${topic}`;
  }

  agentQueue(topic: string, instance: string): string {
    return `${this.workQueue(topic)}@${instance}`;
  }

  retryQueue(queue: string, ms: number): string {
    return `${queue}.retry.${ms}`;
  }

  news(topic: string): string {
    return `${this.workQueue(topic)}.news`;
  }

  /** The exchanges and the dead letters, which every process needs. */
  async declareBase(channel: Channel): Promise<void> {
    await channel.assertExchange(this.casts, 'topic', { durable: true });
    await channel.assertExchange(this.calls, 'topic', { durable: true });
    await channel.assertExchange(this.dead, 'fanout', { durable: true });
    const full = { 'x-max-length': this.settings.maxDeadLetters, 'x-overflow': 'drop-head' };
    await channel.assertQueue(this.deadQueue, { durable: true, arguments: { 'x-queue-type': 'quorum', ...full } });
    await channel.bindQueue(this.deadQueue, this.dead, '');
  }

  async declareWorkQueue(channel: Channel, topic: string): Promise<string> {
    const queue = this.workQueue(topic);
    await this.declareCasts(channel, queue);
    await channel.bindQueue(queue, this.casts, topic);
    return queue;
  }

  async declareAgentQueue(channel: Channel, topic: string, instance: string): Promise<string> {
    const queue = this.agentQueue(topic, instance);
    await this.declareCasts(channel, queue, { 'x-expires': UNUSED_QUEUE_EXPIRES_MS });
    return queue;
  }

  async declareCalls(channel: Channel, queue: string): Promise<string> {
    const calls = `${queue}.calls`;
    await channel.assertQueue(calls, { durable: false, autoDelete: true });
    return calls;
  }

  async declareNews(channel: Channel, topic: string): Promise<void> {
    await channel.assertExchange(this.news(topic), 'fanout', { durable: true });
  }

  async subscribe(channel: Channel, topic: string): Promise<string> {
    await this.declareNews(channel, topic);
    const bound = { 'x-max-length': NEWS_QUEUE_LENGTH };
    const { queue } = await channel.assertQueue('', { exclusive: true, durable: false, arguments: bound });
    await channel.bindQueue(queue, this.news(topic), '');
    return queue;
  }

  /** The queue that gives messages back to `queue` after `ms` or a little more; it goes when it was not wanted for a week. */
  async declareRetry(channel: Channel, queue: string, ms: number): Promise<string> {
    const name = this.retryQueue(queue, ms);
    const args = {
      'x-queue-type': 'quorum',
      'x-message-ttl': ms,
      'x-expires': UNUSED_QUEUE_EXPIRES_MS,
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': queue,
      ...UNLOSING,
    };
    await channel.assertQueue(name, { durable: true, arguments: args });
    return name;
  }

  private async declareCasts(channel: Channel, queue: string, more: Record<string, unknown> = {}): Promise<void> {
    const args = {
      'x-queue-type': 'quorum',
      'x-delivery-limit': BROKER_DELIVERY_LIMIT,
      'x-dead-letter-exchange': this.dead,
      'x-max-length': this.settings.maxQueued,
      ...UNLOSING,
      ...more,
    };
    await channel.assertQueue(queue, { durable: true, arguments: args });
  }
}

/** Messages that leave a queue for another are held until the other has them; a full queue refuses rather than drops. */
const UNLOSING = { 'x-dead-letter-strategy': 'at-least-once', 'x-overflow': 'reject-publish' };

/** The shortest of the fixed pauses that is no shorter than `ms`; 0 for none. */
export const pauseFor = (ms: number): number =>
  ms <= 0 ? 0 : (PAUSES_MS.find((p) => p >= ms) ?? PAUSES_MS[PAUSES_MS.length - 1]);

/** `<topic>` or `<topic>.<host>`; `invalid` for a host that a topic exchange would read as a pattern, or cannot carry. */
export function routingKey({ topic, host }: Address): string {
  if (host === undefined) return topic;
  const key = `${topic}.${host}`;
  if (host === '' || host.split('.').some((word) => word === '*' || word === '#') || Buffer.byteLength(key) > 255) {
    throw invalid(`${host} cannot be the name of a host: 1 to 200 bytes, no part of it * or #`, { code: 'rpc.host' });
  }
  return key;
}
