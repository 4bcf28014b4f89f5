import type { Clock } from '@fractus/virt';
import type { Logger } from '@fractus/telemetry';

const BACKOFF_MS = { first: 200, most: 10_000 };
const AT_ONCE = 16;

export interface OutboxOptions<T> {
  /** For the log: `operation report`. */
  readonly what: string;
  send(item: T): Promise<void>;
  /** The transport has taken it. */
  sent?(item: T): void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Things that must be told until the transport has taken them. One item a key: a newer one replaces one that still
 * waits. A failed send waits for one common timer with growing pauses; nothing is ever given up.
 */
export class Outbox<T> {
  private readonly items = new Map<string, T>();
  private readonly sending = new Set<string>();
  private cancel: (() => void) | null = null;
  private failures = 0;
  private closed = false;

  constructor(private readonly options: OutboxOptions<T>) {}

  /** Items not yet taken by the transport. */
  get pending(): number {
    return this.items.size;
  }

  push(key: string, item: T): void {
    this.items.set(key, item);
    if (this.cancel === null) void this.sendOne(key);
  }

  close(): void {
    this.closed = true;
    this.cancel?.();
  }

  private async sendOne(key: string): Promise<void> {
    if (this.closed || this.sending.has(key)) return;
    this.sending.add(key);
    try {
      // a newer item may come while one is on its way
      for (let item = this.items.get(key); item !== undefined && !this.closed; item = this.items.get(key)) {
        await this.options.send(item);
        if (this.items.get(key) === item) this.items.delete(key);
        if (!this.closed) this.options.sent?.(item);
      }
      this.failures = 0;
    } catch (err) {
      this.failed(err);
    } finally {
      this.sending.delete(key);
    }
  }

  private failed(err: unknown): void {
    if (this.closed || this.cancel !== null) return;
    const pause = Math.min(BACKOFF_MS.first * 2 ** this.failures++, BACKOFF_MS.most);
    this.options.logger.warn(
      { err, pending: this.pending, pauseMs: pause },
      `${this.options.what} could not be sent; it will be sent again`,
    );
    this.cancel = this.options.clock.after(pause, () => {
      this.cancel = null;
      void this.sendAll();
    });
  }

  private async sendAll(): Promise<void> {
    const keys = [...this.items.keys()];
    const worker = async (): Promise<void> => {
      // one failure ends the round: the rest waits for the next
      for (let key = keys.shift(); key !== undefined && this.cancel === null; key = keys.shift())
        await this.sendOne(key);
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, keys.length) }, worker));
  }
}
