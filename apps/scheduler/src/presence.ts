/** That this scheduler lives, told by its line in the list of services. Nothing but that list depends on it. */
import { randomUUID } from 'node:crypto';
import type { HostsRepository } from '@fractus/compute-db';
import type { Logger } from '@fractus/telemetry';

export const SCHEDULER_BINARY = 'nova-scheduler';
const BEAT_MS = 10_000;

export class Presence {
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> | undefined;

  constructor(
    private readonly hosts: HostsRepository,
    private readonly instance: string,
    private readonly logger: Logger,
  ) {}

  /** A sign of life now, which is waited for, and at an interval. While the database is away one is under way, no more. */
  async start(): Promise<void> {
    const beat = (): Promise<void> =>
      (this.beating ??= this.hosts
        .heartbeat(SCHEDULER_BINARY, this.instance, randomUUID, Date.now())
        .catch((err: unknown) => this.logger.warn({ err }, 'a sign of life was not written'))
        .finally(() => (this.beating = undefined)));
    await beat();
    this.timer = setInterval(() => void beat(), BEAT_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
  }
}
