/**
 * The leases that this process holds: renews them all in one statement at a third of their time, and knows of each
 * until when it is certainly ours. A runner asks before every effect: where renewals fail (the database is away), it
 * must stop before another conductor can have taken its task up.
 *
 * It also tells the database, late and many at once, which messages of waiting steps the transport has taken: most are
 * answered by then and cost nothing. What was not told when this process dies is sent a second time by another.
 */
import type { Held, Sent, TaskLeases, TaskRecord } from '@fractus/compute-db';
import type { Logger } from '@fractus/telemetry';

export interface KeeperOptions {
  readonly owner: string;
  readonly leaseMs: number;
  readonly leases: TaskLeases;
  readonly clock: () => number;
  readonly logger: Logger;
}

interface Kept extends Held {
  until: number;
}

const key = ({ id, fence }: Held): string => `${id} ${fence}`;
const PAGE = 200;

export class LeaseKeeper {
  private readonly kept = new Map<string, Kept>();
  private sent: Sent[] = [];
  /** Let go of here, while the database did not hear of it. */
  private unheard: Held[] = [];
  private timer: NodeJS.Timeout | undefined;
  /** Rounds follow one another; while one waits for the database no more than one stands behind it. */
  private running: Promise<void> = Promise.resolve();
  private waiting: Promise<void> | undefined;

  constructor(private readonly options: KeeperOptions) {}

  get owner(): string {
    return this.options.owner;
  }

  /** What to ask for in a lease that begins at `now`. */
  lease(now: number): { owner: string; until: number } {
    return { owner: this.options.owner, until: now + this.options.leaseMs };
  }

  start(): void {
    this.timer = setInterval(() => void this.tend(), this.options.leaseMs / 3);
    this.timer.unref();
  }

  /** From now on the lease is renewed. */
  keep({ id, fence, leaseUntil }: TaskRecord): void {
    this.kept.set(key({ id, fence }), { id, fence, until: leaseUntil ?? 0 });
  }

  /** Whether nobody else can have the task yet: its lease, as far as it is known to reach, has not run out. */
  holds(task: Held): boolean {
    return this.options.clock() < (this.kept.get(key(task))?.until ?? 0);
  }

  /** It is renewed no more. The database is not told: for a lease that was let go of with another write, or is lost. */
  forget(task: Held): void {
    this.kept.delete(key(task));
  }

  /** Lets go of it. Never throws: what the database does not hear now it hears with the next round. */
  async release(task: Held): Promise<void> {
    this.forget(task);
    const held = { id: task.id, fence: task.fence };
    await this.options.leases.release([held]).catch((err: unknown) => {
      this.options.logger.warn({ err, task_id: task.id }, 'a lease could not be let go of; it will be');
      this.unheard.push(held);
    });
  }

  /** The transport has taken the message that the task waits for. */
  tookOver(sent: Sent): void {
    this.sent.push(sent);
  }

  /** One round of all that is to be told to the database. Never throws. */
  tend(): Promise<void> {
    this.waiting ??= this.running.then(() => {
      this.waiting = undefined;
      this.running = this.round();
      return this.running;
    });
    return this.waiting;
  }

  /** The last round. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.tend();
  }

  private async round(): Promise<void> {
    const { logger } = this.options;
    const failed = (what: string) => (err: unknown) => logger.warn({ err }, `${what}; it is tried again`);
    await this.renew().catch(failed('leases were not renewed'));
    await this.tellSent().catch(failed('it was not noted which messages are sent'));
    await this.tellReleased().catch(failed('leases could not be let go of'));
  }

  private async renew(): Promise<void> {
    const all = [...this.kept.values()];
    for (let i = 0; i < all.length; i += PAGE) {
      const page = all.slice(i, i + PAGE);
      // counted from before the write: a slow database must not make a lease seem longer than it is
      const until = this.options.clock() + this.options.leaseMs;
      for (const held of await this.options.leases.renew(this.options.owner, page, until)) {
        const kept = this.kept.get(key(held));
        if (kept) kept.until = until;
      }
    }
  }

  private async tellSent(): Promise<void> {
    while (this.sent.length > 0) {
      const page = this.sent.slice(0, PAGE);
      await this.options.leases.sent(this.options.owner, page);
      this.sent.splice(0, page.length);
    }
  }

  private async tellReleased(): Promise<void> {
    const told = [...this.unheard];
    await this.options.leases.release(told);
    this.unheard = this.unheard.filter((held) => !told.includes(held));
  }
}
