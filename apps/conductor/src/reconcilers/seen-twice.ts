import type { SightingsRepository } from '@fractus/compute-db';

/** What to do about suspects: those that are ripe, and for the others why not yet. */
export interface Judged {
  readonly ripe: readonly string[];
  /** A sentence for each that is not ripe. */
  readonly notYet: ReadonlyMap<string, string>;
}

/**
 * Remembers suspects: only what is seen again, unchanged, after `afterMs` is acted upon. Kept in the database, so it
 * holds whichever conductor looks, and over restarts.
 */
export class SeenTwice {
  constructor(
    private readonly reconciler: string,
    private readonly sightings: SightingsRepository,
    private readonly afterMs: number,
    private readonly clock: () => number,
  ) {}

  /** Judges these suspects (id → what must not have changed); all others are forgotten. */
  async judge(suspects: ReadonlyMap<string, string>): Promise<Judged> {
    const now = this.clock();
    const ripe: string[] = [];
    const notYet = new Map<string, string>();
    for (const { subject, seenAt } of (await this.sightings.note(this.reconciler, suspects, now)).values()) {
      const seconds = (ms: number): number => Math.ceil(ms / 1000);
      if (now - seenAt >= this.afterMs) ripe.push(subject);
      else
        notYet.set(
          subject,
          `Seen for ${seconds(now - seenAt)} s; something is done when it is seen unchanged after ${seconds(this.afterMs)} s.`,
        );
    }
    return { ripe, notYet };
  }
}
