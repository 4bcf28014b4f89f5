import type { ScheduleAttemptsRepository } from '@fractus/compute-db';
import type { Logger } from '@fractus/telemetry';

const DAY_MS = 24 * 60 * 60 * 1000;
const INTERVAL_MS = 10 * 60 * 1000;
const BATCH = 1000;

/** Forgets records of attempts older than the retention, in small batches. */
export class AttemptsJanitor {
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> = Promise.resolve();

  constructor(
    private readonly attempts: ScheduleAttemptsRepository,
    private readonly logger: Logger,
    private readonly retentionDays: number,
  ) {}

  start(): void {
    if (this.retentionDays === 0) return;
    this.timer = setInterval(() => void (this.working = this.sweep()), INTERVAL_MS).unref();
  }

  async sweep(now = Date.now()): Promise<void> {
    try {
      while ((await this.attempts.prune(now - this.retentionDays * DAY_MS, BATCH)) === BATCH);
    } catch (err) {
      this.logger.warn({ err }, 'old scheduling attempts could not be removed; trying again later');
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.working;
  }
}
