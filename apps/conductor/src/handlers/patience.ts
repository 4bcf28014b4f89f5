/**
 * Holds a message while the database is away. A cast that fails is delivered a few times within seconds and then parked
 * among the dead letters, which is right for a message that cannot be handled, and wrong for all that come in while the
 * database restarts: an agent's answer would be lost to a task that waits for it. So its handler tries again until the
 * database is back; the broker hands out no more meanwhile than may be in hand at once. What is of no use later is let go of.
 */
import { isFractusError } from '@fractus/objects';
import type { Logger } from '@fractus/telemetry';

/** Below the half hour after which RabbitMQ takes a message back from a consumer that does not settle it. */
const MOST_MS = 600_000;
const PAUSES_MS = [250, 500, 1000, 2000];

/** The database cannot be reached, is overloaded, or was lost in the middle of a commit. Handlers of casts may run again. */
const isAway = (e: unknown): boolean => isFractusError(e, 'unavailable') && e.code.startsWith('database.');

export interface PatienceOptions {
  readonly logger: Logger;
  readonly clock: () => number;
  /** For tests. */
  readonly pause?: (ms: number) => Promise<void>;
}

export class Patience {
  private closed = false;

  constructor(private readonly options: PatienceOptions) {}

  /** Does the work; again while the database is away, until `close`, at most for ten minutes. */
  async hold<R>(what: string, work: () => Promise<R>): Promise<R> {
    const { logger, clock, pause = sleep } = this.options;
    const end = clock() + MOST_MS;
    for (let n = 0; ; n++) {
      try {
        return await work();
      } catch (err) {
        if (!isAway(err) || this.closed || clock() >= end) throw err;
        if (n === 0) logger.warn({ err }, `the database is away: ${what} waits until it is back`);
        await pause(PAUSES_MS[Math.min(n, PAUSES_MS.length - 1)] ?? 1000);
      }
    }
  }

  /** Does the work; leaves it undone while the database is away, for what is of no use later. */
  async forgo(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (err) {
      if (!isAway(err)) throw err;
      this.options.logger.debug({ err }, `the database is away: ${what} is let go of`);
    }
  }

  /** What is held now fails; messages are delivered again. */
  close(): void {
    this.closed = true;
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
