import type { Channel, GetMessage } from 'amqplib';
import { notFound, unavailable } from '@fractus/objects';
import type { DeadLetter, DeadLetters } from '../transport';
import { closeChannel, silenced } from './channels';
import { headersOf } from './delivery';
import { brokerError, refusalOf } from './failures';
import type { RabbitLink } from './link';
import type { RabbitSettings } from './options';
import type { Topology } from './topology';

const WAIT_FOR_READER_MS = 100;
/** Questions under way at once when the queue is read. */
const PIPELINE = 100;

/** Publishes a letter again as the cast that it was. Rejects with `unroutable`, `unavailable`. */
export type Resend = (letter: DeadLetter, sender: string | undefined) => Promise<void>;

/**
 * The dead letters' queue can only be looked through by taking all messages and giving back those that stay. One reader
 * at a time, among all processes: an exclusive queue stands for the right to read, and goes with its reader.
 */
export class RabbitDeadLetters implements DeadLetters {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly settings: RabbitSettings,
    private readonly topology: Topology,
    private readonly link: RabbitLink,
    private readonly resend: Resend,
  ) {}

  list(topic?: string): Promise<DeadLetter[]> {
    return this.reading(async (channel) => {
      const letters = (await this.takeAll(channel)).map(letterOf);
      letters.sort((a, b) => a.deadAt - b.deadAt);
      return topic === undefined ? letters : letters.filter((l) => l.topic === topic);
    });
  }

  retry(id: string): Promise<void> {
    return this.reading(async (channel) => {
      const message = await this.take(channel, id);
      const letter = letterOf(message);
      await this.resend(letter, letter.sender);
      channel.ack(message);
    });
  }

  drop(id: string): Promise<void> {
    return this.reading(async (channel) => channel.ack(await this.take(channel, id)));
  }

  private async take(channel: Channel, id: string): Promise<GetMessage> {
    const message = (await this.takeAll(channel)).find((m) => letterOf(m).id === id);
    if (!message) throw notFound(`No dead letter ${id}`, { code: 'rpc.dead_letter' });
    return message;
  }

  private async takeAll(channel: Channel): Promise<GetMessage[]> {
    const all: GetMessage[] = [];
    let { messageCount } = await channel.checkQueue(this.topology.deadQueue);
    do {
      const asked = Array.from({ length: Math.min(Math.max(messageCount - all.length, 1), PIPELINE) }, () =>
        channel.get(this.topology.deadQueue, { noAck: false }),
      );
      const got = (await Promise.all(asked)).filter((m) => m !== false);
      if (got.length < asked.length) messageCount = 0;
      all.push(...got);
    } while (messageCount > 0);
    return all;
  }

  /** What `use` took and did not acknowledge goes back when its channel ends. */
  private reading<T>(use: (channel: Channel) => Promise<T>): Promise<T> {
    const turn = this.last.then(() => this.asReader(use));
    this.last = turn.catch(() => undefined);
    return turn;
  }

  private async asReader<T>(use: (channel: Channel) => Promise<T>): Promise<T> {
    const lock = await this.lock();
    try {
      const channel = silenced(await lock.connection.createChannel());
      try {
        return await use(channel);
      } finally {
        await closeChannel(channel);
      }
    } catch (e) {
      throw brokerError(e);
    } finally {
      await lock.release();
    }
  }

  private async lock() {
    const until = Date.now() + this.settings.patienceMs;
    for (;;) {
      const connection = await this.link.whenUp(this.settings.patienceMs);
      const channel = silenced(await connection.createChannel());
      try {
        await channel.assertQueue(this.topology.deadReader, { exclusive: true, durable: false });
        const release = async (): Promise<void> => {
          await channel.deleteQueue(this.topology.deadReader).catch(() => undefined);
          await closeChannel(channel);
        };
        return { connection, release };
      } catch (e) {
        if (refusalOf(e) !== 405) throw brokerError(e);
        if (Date.now() > until)
          throw unavailable('Somebody else is reading the dead letters', { code: 'rpc.dead_letters_busy', cause: e });
      }
      await new Promise((resolve) => setTimeout(resolve, WAIT_FOR_READER_MS));
    }
  }
}

function letterOf({ properties, content }: GetMessage): DeadLetter {
  const headers = headersOf({ properties });
  const { messageId, type, userId } = properties as { messageId?: string; type?: string; userId?: string };
  // what we have moved bears our own name, and the sender's in a header; what the broker moved bears the sender's
  const sender = headers.sender ?? userId;
  // without a reason of ours it was the broker that gave up
  const death = properties.headers?.['x-death']?.[0];
  const returns = (headers.attempts ?? 0) + (headers['x-delivery-count'] ?? 0);
  return {
    id: messageId ?? '',
    topic: headers.topic ?? '',
    ...(headers.host !== undefined && { host: headers.host }),
    ...(sender !== undefined && { sender }),
    pattern: type ?? '',
    reason: headers.reason ?? `the broker gave up: ${death?.reason ?? 'unknown'}`,
    attempts: headers.reason === undefined ? returns : (headers.attempts ?? 0),
    deadAt: headers.deadAt ?? (death ? death.time.value * 1000 : 0),
    body: content.toString(),
  };
}
