import type { ConfirmChannel, Message, Options } from 'amqplib';
import { unavailable, type FractusError } from '@fractus/objects';
import { Fifo } from '../fifo';
import { brokerError, busy, closed, refusalOf } from './failures';
import type { RabbitSettings } from './options';
import { within } from './within';

export interface Publication {
  readonly exchange: string;
  readonly key: string;
  readonly body: string;
  readonly options: Options.Publish;
  /** Asked before it is sent again over a new connection. */
  readonly wanted?: () => boolean;
}

/** `returned`: no queue is bound to the address. */
export type Outcome = 'taken' | 'returned';

interface Entry {
  readonly id: string;
  readonly publication: Publication;
  readonly until: number;
  returned: boolean;
  resolve(outcome: Outcome): void;
  reject(e: FractusError): void;
}

/**
 * Publishes what must not be lost: mandatory, persistent, confirmed. What is not confirmed when the connection is lost
 * is sent again over the next one, in the order it came, so that the broker may get a message twice but never not at
 * all. Waits while the broker blocks or the socket is full; gives up after `patienceMs`.
 */
export class ConfirmedPublisher {
  private channel: ConfirmChannel | undefined;
  private readonly entries = new Map<string, Entry>();
  private unsent = new Fifo<Entry>();
  private sequence = 0;
  private stalled = false;
  private blocked = false;
  /** After the broker closed the channel for one of several messages: send one at a time, to learn which it was. */
  private oneByOne = false;
  private probe: Entry | undefined;
  private timer: NodeJS.Timeout | undefined;
  private idle: (() => void)[] = [];
  private ended = false;

  constructor(private readonly settings: RabbitSettings) {}

  /**
   * Resolves when the broker has it safe. Rejects with `unavailable`: too many are unconfirmed, the queue is full, or
   * no confirmation came in time, when it may or may not have been taken.
   */
  publish(publication: Publication): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.ended) throw closed();
      if (this.entries.size >= this.settings.maxUnconfirmedCasts)
        throw busy(`Too many casts are unconfirmed: ${String(publication.options.type)} was not sent`);
      const id = String(++this.sequence);
      const until = Date.now() + this.settings.patienceMs;
      const entry: Entry = { id, publication, until, returned: false, resolve, reject };
      this.entries.set(id, entry);
      this.unsent.push(entry);
      if (!this.timer) this.arm(this.settings.patienceMs);
      this.flush();
    });
  }

  /** A new connection: sends everything that is not confirmed. `broken` is called when the broker closes the channel. */
  up(channel: ConfirmChannel, broken: (e: unknown) => void): void {
    channel.on('error', (e) => this.refused(e, broken));
    channel.on('drain', () => {
      this.stalled = false;
      this.flush();
    });
    channel.on('return', (m: Message) => {
      const entry = this.entries.get(String(m.properties.correlationId));
      if (entry) entry.returned = true; // its confirmation follows
    });
    this.channel = channel;
    this.stalled = false;
    this.blocked = false;
    this.probe = undefined;
    this.unsent = new Fifo();
    for (const entry of this.entries.values()) {
      entry.returned = false;
      if (entry.publication.wanted?.() ?? true) this.unsent.push(entry);
      else this.settle(entry, brokerError(new Error('given up with the connection')));
    }
    this.flush();
  }

  down(): void {
    this.channel = undefined;
  }

  setBlocked(is: boolean): void {
    this.blocked = is;
    this.flush();
  }

  /** Resolves when nothing is unconfirmed any more, at most after `ms`; what is left then is rejected. */
  async close(ms: number): Promise<void> {
    this.ended = true;
    if (this.entries.size > 0 && this.channel) {
      await within(ms, new Promise<void>((resolve) => this.idle.push(resolve)));
    }
    for (const entry of [...this.entries.values()]) this.settle(entry, closed());
    clearTimeout(this.timer);
    const { channel } = this;
    this.channel = undefined;
    if (channel && !this.blocked)
      await within(
        ms,
        channel.close().catch(() => undefined),
      );
  }

  private flush(): void {
    while (this.channel && !this.stalled && !this.blocked && !this.probe) {
      const entry = this.unsent.shift();
      if (!entry) return;
      if (this.entries.has(entry.id)) this.send(entry, this.channel);
    }
  }

  private send(entry: Entry, channel: ConfirmChannel): void {
    const { exchange, key, body, options } = entry.publication;
    const whole = {
      ...options,
      mandatory: true,
      persistent: true,
      userId: this.settings.user,
      correlationId: entry.id,
    };
    if (this.oneByOne) this.probe = entry;
    try {
      const more = channel.publish(exchange, key, Buffer.from(body), whole, (e) => this.confirmed(entry, channel, e));
      if (!more) this.stalled = true;
    } catch {
      if (this.channel === channel) this.channel = undefined; // it is closing: the next one sends it again
    }
  }

  private confirmed(entry: Entry, channel: ConfirmChannel, e: unknown): void {
    if (this.channel !== channel) return; // of a connection that is gone: the entry is sent again
    if (this.probe === entry) this.probe = undefined;
    if (e) {
      const key = entry.publication.key;
      const full = unavailable(`The queue of ${key} is full`, { code: 'rpc.queue_full', retryAfter: 1 });
      this.settle(entry, full);
    } else this.settle(entry, entry.returned ? 'returned' : 'taken');
    this.flush();
  }

  private refused(e: unknown, broken: (e: unknown) => void): void {
    this.channel = undefined;
    if (refusalOf(e) !== undefined) {
      if (this.probe) this.settle(this.probe, brokerError(e));
      else this.oneByOne = true;
    }
    broken(e);
  }

  private settle(entry: Entry, outcome: Outcome | FractusError): void {
    if (!this.entries.delete(entry.id)) return;
    if (typeof outcome === 'string') entry.resolve(outcome);
    else entry.reject(outcome);
    if (this.entries.size > 0) return;
    this.oneByOne = false;
    this.idle.splice(0).forEach((resolve) => resolve());
  }

  /** One timer for all: they run out in the order they came. */
  private arm(ms: number): void {
    this.timer = setTimeout(() => {
      this.timer = undefined;
      const now = Date.now();
      for (const entry of this.entries.values()) {
        if (entry.until > now) return this.arm(entry.until - now);
        const { type } = entry.publication.options;
        const message = `RabbitMQ did not confirm ${String(type)} in ${this.settings.patienceMs} ms`;
        this.settle(entry, unavailable(message, { code: 'rpc.unconfirmed', retryAfter: 1 }));
      }
    }, ms);
    this.timer.unref();
  }
}
