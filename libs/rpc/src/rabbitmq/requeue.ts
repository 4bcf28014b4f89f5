import { closeChannel } from './channels';
import { pauseFor, type Topology } from './topology';
import type { Headers, RabbitDelivery } from './delivery';
import type { RabbitLink } from './link';
import type { RabbitSettings } from './options';
import type { ConfirmedPublisher, Outcome } from './publisher';

/**
 * Moves a cast to where it belongs when its delivery was not a success: a copy is published and confirmed before the
 * original is acknowledged, so that a crash in between leaves two rather than none.
 */
export class Requeue {
  /** Queues of pauses that are known to be there, by name. */
  private readonly known = new Map<string, Promise<string>>();

  constructor(
    private readonly settings: RabbitSettings,
    private readonly topology: Topology,
    private readonly publisher: ConfirmedPublisher,
    private readonly link: RabbitLink,
  ) {}

  /** Back into the queue after the pause that its attempt calls for. */
  async later(d: RabbitDelivery, queue: string, wanted: () => boolean): Promise<void> {
    const ms = pauseFor(this.settings.retryDelayMs(d.attempt));
    const next = ms === 0 ? queue : await this.retryQueue(queue, ms);
    try {
      await this.move(d, '', next, { attempts: d.attempt }, wanted);
    } catch (e) {
      this.known.delete(next); // it may have gone
      throw e;
    }
  }

  /** To the queue's end, as if this delivery had not been. */
  async now(d: RabbitDelivery, queue: string, wanted: () => boolean): Promise<void> {
    await this.move(d, '', queue, { attempts: d.attempt - 1 }, wanted);
  }

  async dead(d: RabbitDelivery, reason: string, attempts: number, wanted: () => boolean): Promise<void> {
    this.settings.logger.error(
      { messageId: d.id, pattern: d.pattern, host: d.host, attempts, reason },
      'a cast was dead-lettered',
    );
    await this.move(d, this.topology.dead, '', { attempts, reason, deadAt: Date.now() }, wanted);
  }

  private async move(
    d: RabbitDelivery,
    exchange: string,
    key: string,
    more: Headers,
    wanted: () => boolean,
  ): Promise<void> {
    const headers: Headers = { topic: d.topic, host: d.host, sender: d.sender, ...more };
    const options = { messageId: d.id, type: d.pattern, headers };
    const outcome: Outcome = await this.publisher.publish({ exchange, key, body: d.body, options, wanted });
    if (outcome === 'returned') throw new Error(`the queue ${key || exchange} is gone`);
  }

  private retryQueue(queue: string, ms: number): Promise<string> {
    const name = this.topology.retryQueue(queue, ms);
    let declared = this.known.get(name);
    if (!declared) {
      declared = this.declare(queue, ms);
      this.known.set(name, declared);
      declared.catch(() => this.known.delete(name));
    }
    return declared;
  }

  private async declare(queue: string, ms: number): Promise<string> {
    const channel = await this.link.channel(this.settings.patienceMs);
    try {
      return await this.topology.declareRetry(channel, queue, ms);
    } finally {
      await closeChannel(channel);
    }
  }
}
