import type { Channel, ConsumeMessage, Message } from 'amqplib';
import { unavailable, type FractusError } from '@fractus/objects';
import { pastDeadline, unroutable } from '../errors';
import type { Address, OutgoingMessage } from '../transport';
import { closeChannel } from './channels';
import { blocked, brokerError, busy, closed, connectionLost } from './failures';
import type { RabbitSettings } from './options';
import { routingKey, type Topology } from './topology';

const REPLY_TO = 'amq.rabbitmq.reply-to';
/** The `type` of an answer that no handler gave: the process that had the call is gone. */
const LOST = 'lost';
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Pending {
  readonly to: Address;
  settle(outcome: string | FractusError): void;
}

interface Answer {
  readonly replyTo: string;
  readonly correlationId: string;
  readonly text: string;
  readonly deadline: number;
  readonly type?: string;
}

/** What goes out unconfirmed, at most once: calls with their answers coming in, answers, news. */
export class CallChannel {
  private channel: Channel | undefined;
  private readonly pending = new Map<string, Pending>();
  private readonly unsent: Answer[] = [];
  private readonly newsDeclared = new Map<string, Promise<void>>();
  private sequence = 0;
  private isBlocked = false;
  private ended = false;

  constructor(
    private readonly settings: RabbitSettings,
    private readonly topology: Topology,
  ) {}

  async up(channel: Channel, broken: (e: unknown) => void): Promise<void> {
    channel.on('error', broken);
    channel.on('return', (m: Message) => this.returned(m));
    await channel.consume(REPLY_TO, (m) => m && this.answered(m), { noAck: true });
    this.newsDeclared.clear();
    this.isBlocked = false;
    this.channel = channel;
    for (const answer of this.unsent.splice(0)) if (answer.deadline > Date.now()) this.send(answer);
  }

  down(): void {
    this.channel = undefined;
    for (const call of [...this.pending.values()]) call.settle(connectionLost());
  }

  setBlocked(is: boolean): void {
    this.isBlocked = is;
  }

  call(to: Address, message: OutgoingMessage, deadline: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const channel = this.writable();
      if (this.pending.size >= this.settings.maxPendingCalls)
        throw busy(`Too many calls are pending: ${message.pattern} was not sent`);
      const key = routingKey(to);
      const id = String(++this.sequence);
      const left = Math.max(deadline - Date.now(), 0);
      const settle = (outcome: string | FractusError): void => {
        if (!this.pending.delete(id)) return;
        clearTimeout(timer);
        if (typeof outcome === 'string') resolve(outcome);
        else reject(outcome);
      };
      const timer = setTimeout(() => settle(pastDeadline(message.pattern)), Math.min(left + 1, LONGEST_TIMER_MS));
      this.pending.set(id, { to, settle });
      try {
        channel.publish(this.topology.calls, key, Buffer.from(message.body), {
          mandatory: true,
          correlationId: id,
          replyTo: REPLY_TO,
          expiration: Math.min(left, LONGEST_TIMER_MS),
          messageId: message.id,
          type: message.pattern,
          userId: this.settings.user,
          headers: { topic: to.topic, host: to.host, deadline },
        });
      } catch (e) {
        settle(brokerError(e));
      }
    });
  }

  async publish(topic: string, message: OutgoingMessage): Promise<void> {
    const channel = this.writable();
    let declared = this.newsDeclared.get(topic);
    if (!declared) this.newsDeclared.set(topic, (declared = this.topology.declareNews(channel, topic)));
    try {
      await declared;
      const { id: messageId, pattern: type } = message;
      const { user: userId } = this.settings;
      const body = Buffer.from(message.body);
      channel.publish(this.topology.news(topic), '', body, { messageId, type, userId, headers: { topic } });
    } catch (e) {
      throw brokerError(e);
    }
  }

  /** Sends the answer to a call that this process took; while there is no connection it waits for one. */
  answer(call: ConsumeMessage, text: string, deadline: number, lost = false): void {
    const { replyTo, correlationId } = call.properties as { replyTo?: string; correlationId?: string };
    if (replyTo === undefined || correlationId === undefined) return; // nobody waits
    const answer = { replyTo, correlationId, text, deadline, ...(lost && { type: LOST }) };
    if (this.channel) this.send(answer);
    else if (!this.ended && this.unsent.length < this.settings.maxPendingCalls) this.unsent.push(answer);
  }

  /** Answers that were given go out with the channel's end; calls that wait for theirs are rejected. */
  async close(): Promise<void> {
    this.ended = true;
    for (const call of [...this.pending.values()]) call.settle(closed());
    const { channel } = this;
    this.channel = undefined;
    if (channel && !this.isBlocked) await closeChannel(channel);
  }

  private writable(): Channel {
    if (this.ended) throw closed();
    if (this.isBlocked) throw blocked();
    if (!this.channel) throw connectionLost();
    return this.channel;
  }

  private send({ replyTo, correlationId, text, type }: Answer): void {
    try {
      this.channel?.publish('', replyTo, Buffer.from(text), { correlationId, type });
    } catch {
      // the channel is closing: the caller's time-out tells it
    }
  }

  private answered(m: ConsumeMessage): void {
    const call = this.pending.get(String(m.properties.correlationId));
    const text = m.content.toString();
    if (m.properties.type !== LOST) return call?.settle(text);
    call?.settle(unavailable(text, { code: 'rpc.callee_lost', retryAfter: 1 }));
  }

  private returned(m: Message): void {
    const call = this.pending.get(String(m.properties.correlationId));
    call?.settle(unroutable(call.to));
  }
}
