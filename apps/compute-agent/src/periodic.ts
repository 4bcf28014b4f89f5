import type { Logger } from '@fractus/telemetry';
import type { Clock } from '@fractus/virt';

export interface PeriodicJob {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<void>;
}

/** Runs jobs again and again: never one over itself, a failed one again at its next hour. */
export class Periodic {
  private readonly cancels = new Map<string, () => void>();
  private stopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
    jobs: readonly PeriodicJob[],
  ) {
    for (const job of jobs) this.arm(job);
  }

  stop(): void {
    this.stopped = true;
    for (const cancel of this.cancels.values()) cancel();
  }

  private arm(job: PeriodicJob): void {
    if (!this.stopped)
      this.cancels.set(
        job.name,
        this.clock.after(job.everyMs, () => void this.run(job)),
      );
  }

  private async run(job: PeriodicJob): Promise<void> {
    try {
      await job.run();
    } catch (err) {
      if (!this.stopped) this.logger.warn({ err }, `${job.name} failed; it will be tried again`);
    }
    this.arm(job);
  }
}
