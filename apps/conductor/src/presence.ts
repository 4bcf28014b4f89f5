/**
 * That this conductor lives, told to the others by its line in the list of services; and whether any of them does. Who
 * starts after a time in which none lived gives that time back to the tasks, and asks again for what was awaited.
 */
import { randomUUID } from 'node:crypto';
import { type HostsRepository, type Service, serviceIsUp } from '@fractus/compute-db';
import type { Logger, ReadyCheck } from '@fractus/telemetry';
import type { Idle } from './engine/task-engine';

export const CONDUCTOR_BINARY = 'nova-conductor';
const BEAT_MS = 10_000;

export interface PresenceOptions {
  readonly hosts: HostsRepository;
  readonly instance: string;
  /** Epoch ms of this life's start. */
  readonly incarnation: number;
  /** Milliseconds without a sign of life after which another conductor counts as dead. */
  readonly downMs: number;
  readonly clock: () => number;
  readonly logger: Logger;
}

export class Presence {
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> | undefined;
  /** A later process goes by our name. */
  private taken = false;
  private life: number;

  constructor(private readonly options: PresenceOptions) {
    this.life = options.incarnation;
  }

  /** The first sign of life; the time in which no conductor lived, undefined when another lives. */
  async arrive(): Promise<Idle | undefined> {
    const { hosts, instance, downMs, clock } = this.options;
    const known = await hosts.services({ binary: CONDUCTOR_BINARY });
    const now = clock();
    // the clock may have been set back since our former life
    const before = known.find((service) => service.host === instance)?.incarnation ?? 0;
    this.life = Math.max(this.life, before + 1);
    await this.beat();
    const lives = (service: Service): boolean =>
      serviceIsUp(service, now, downMs) && (service.lastSeenAt ?? 0) <= now + downMs;
    if (known.some((service) => service.host !== instance && lives(service))) return undefined;
    const seen = known.flatMap((service) => service.lastSeenAt ?? []);
    return { since: seen.length > 0 ? Math.max(...seen) : null };
  }

  /** A sign of life at an interval from now on. */
  start(): void {
    this.timer = setInterval(() => {
      // one at a time: while the database is away they would only wait in line
      this.beating ??= this.beat()
        .catch((err: unknown) => this.options.logger.warn({ err }, 'a sign of life was not written'))
        .finally(() => (this.beating = undefined));
    }, BEAT_MS);
    this.timer.unref();
  }

  ready(): ReadyCheck {
    const { instance } = this.options;
    if (!this.taken) return { part: 'instance', ok: true };
    const why = `another conductor was started as instance ${instance}: every running one needs a name of its own`;
    return { part: 'instance', ok: false, why };
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
  }

  /** One sign of life. */
  async beat(): Promise<void> {
    const { hosts, instance, clock, logger } = this.options;
    this.taken = !(await hosts.lives(CONDUCTOR_BINARY, instance, this.life, randomUUID, clock()));
    if (this.taken) logger.error({ instance }, this.ready().why ?? '');
  }
}
