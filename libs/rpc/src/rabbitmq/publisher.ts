import type { ConfirmChannel, Message, Options } from 'amqplib';
import { unavailable, type FractusError } from '@fractus/objects';
import { Fifo } from '../fifo';
import { closeChannel, within } from './channels';
import { brokerError, busy, closed, refusalOf } from './failures';
import type { RabbitSettings } from './options';

export interface Publication {
  readonly exchange: string;
  readonly key: string;
  readonly body: string;
  readonly options: Options.Publish;
  /** Asked before it is sent again over a new connection. */
  readonly wanted?: () => boolean;
}

/** What amqplib says when the broker refuses a message, as against a channel that ended before it was confirmed. */
const NACKED = /nacked/;
/** How long a queue may refuse before a cast to it is given up. */
const LEADER_MS = 5000;
const NACK_PAUSE_MS = 250;
/** A confirmation that takes longer is not waited for: the message is sent again. Doubles while none comes. */
const STUCK_MS = 3000;
const TICK_MS = 500;

/** `returned`: no queue is bound to the address. */
export type Outcome = 'taken' | 'returned';

interface Entry {
  readonly id: string;
  readonly publication: Publication;
  readonly until: number;
  returned: boolean;
  /** Whether it waits in line to be sent. */
  queued: boolean;
  /** When it was last sent on the present channel; undefined while it waits. */
  sentAt?: number;
  nackedAt?: number;
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
  /**
   * After the broker closed the channel for one of several messages: all that it may have been. Until each of them is
   * settled one message is sent at a time, to learn which it was.
   */
  private readonly suspects = new Set<Entry>();
  private probe: Entry | undefined;
  private stuckMs = STUCK_MS;
  private renew: (old: ConfirmChannel) => void = () => undefined;
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
      const entry: Entry = { id, publication, until, returned: false, queued: false, resolve, reject };
      this.entries.set(id, entry);
      this.enqueue(entry);
      this.tick();
      this.flush();
    });
  }

  /**
   * A new channel: sends everything that is not confirmed. `broken` is called when the broker closes the channel,
   * `renew` when another is needed.
   */
  up(channel: ConfirmChannel, broken: (e: unknown) => void, renew: (old: ConfirmChannel) => void): void {
    this.renew = renew;
    channel.on('error', (e) => this.refused(e, channel, broken));
    channel.on('drain', () => {
      if (this.channel !== channel) return;
      this.stalled = false;
      this.flush();
    });
    channel.on('return', (m: Message) => {
      const entry = this.entries.get(String(m.properties.correlationId));
      if (entry) entry.returned = true; // its confirmation follows
    });
    this.channel = channel;
    this.stalled = false;
    this.probe = undefined;
    this.unsent = new Fifo();
    for (const entry of this.entries.values()) {
      entry.returned = false;
      entry.sentAt = undefined;
      entry.queued = false;
      if (entry.publication.wanted?.() ?? true) this.enqueue(entry);
      else this.settle(entry, brokerError(new Error('given up with the connection')));
    }
    this.flush();
  }

  down(): void {
    this.channel = undefined;
    this.blocked = false;
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
    clearInterval(this.timer);
    const { channel } = this;
    this.channel = undefined;
    if (channel && !this.blocked) await closeChannel(channel);
  }

  private enqueue(entry: Entry): void {
    if (entry.queued) return;
    entry.queued = true;
    this.unsent.push(entry);
  }

  private flush(): void {
    while (this.channel && !this.stalled && !this.blocked && !this.probe) {
      const entry = this.unsent.shift();
      if (!entry) return;
      entry.queued = false;
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
    if (this.suspects.size > 0) this.probe = entry;
    entry.sentAt = Date.now();
    try {
      const more = channel.publish(exchange, key, Buffer.from(body), whole, (e) => this.confirmed(entry, channel, e));
      if (!more) this.stalled = true;
    } catch {
      if (this.channel === channel) this.channel = undefined; // it is closing: the next one sends it again
    }
  }

  private confirmed(entry: Entry, channel: ConfirmChannel, e: unknown): void {
    if (this.channel !== channel) return; // of a connection that is gone: the entry is sent again
    if (e && !NACKED.test(String(e))) {
      this.channel = undefined; // the channel has ended without a word on the entry: it is sent again
      return;
    }
    if (this.probe === entry) this.probe = undefined;
    if (e) this.nacked(entry);
    else {
      this.stuckMs = STUCK_MS;
      this.settle(entry, entry.returned ? 'returned' : 'taken');
    }
    this.flush();
  }

  /** The queue is full, or its leader is not elected yet after a restart; the broker does not say which. */
  private nacked(entry: Entry): void {
    entry.nackedAt ??= Date.now();
    entry.sentAt = undefined;
    if (Date.now() - entry.nackedAt < LEADER_MS && !this.ended) {
      setTimeout(() => {
        this.enqueue(entry);
        this.flush();
      }, NACK_PAUSE_MS);
      return;
    }
    const { key } = entry.publication;
    const message = `The queue of ${key} takes nothing: it is full, or has no leader`;
    this.settle(entry, unavailable(message, { code: 'rpc.queue_full', retryAfter: 1 }));
  }

  private refused(e: unknown, channel: ConfirmChannel, broken: (e: unknown) => void): void {
    if (this.channel !== channel) return;
    this.channel = undefined;
    if (refusalOf(e) !== undefined) {
      if (this.probe) this.settle(this.probe, brokerError(e));
      else for (const entry of this.entries.values()) if (entry.sentAt !== undefined) this.suspects.add(entry);
    }
    broken(e);
  }

  private settle(entry: Entry, outcome: Outcome | FractusError): void {
    if (!this.entries.delete(entry.id)) return;
    this.suspects.delete(entry);
    if (typeof outcome === 'string') entry.resolve(outcome);
    else entry.reject(outcome);
    if (this.entries.size > 0) return;
    this.idle.splice(0).forEach((resolve) => resolve());
  }

  /** One timer for all while there are any. */
  private tick(): void {
    this.timer ??= setInterval(() => {
      if (this.entries.size === 0) {
        clearInterval(this.timer);
        this.timer = undefined;
        return;
      }
      this.giveUp(Date.now());
      this.resendStuck(Date.now());
    }, TICK_MS).unref();
  }

  /** They run out in the order they came. */
  private giveUp(now: number): void {
    for (const entry of this.entries.values()) {
      if (entry.until > now) return;
      const { type } = entry.publication.options;
      const message = `RabbitMQ did not confirm ${String(type)} in ${this.settings.patienceMs} ms`;
      this.settle(entry, unavailable(message, { code: 'rpc.unconfirmed', retryAfter: 1 }));
    }
  }

  /** RabbitMQ can forget to confirm what reaches a quorum queue while it elects a leader: a new channel, and again. */
  private resendStuck(now: number): void {
    if (!this.channel || this.blocked) return;
    for (const entry of this.entries.values()) {
      if (entry.sentAt === undefined) continue; // waits to be sent
      if (now - entry.sentAt < this.stuckMs) return;
      this.stuckMs = Math.min(this.stuckMs * 2, this.settings.patienceMs);
      const { channel } = this;
      this.channel = undefined;
      this.settings.logger.warn({ key: entry.publication.key }, 'RabbitMQ did not confirm: sending again');
      return this.renew(channel);
    }
  }
}
