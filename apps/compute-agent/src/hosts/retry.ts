import type { Logger } from '@fractus/telemetry';
import type { Clock } from '@fractus/virt';

const BACKOFF_MS = { first: 250, most: 15_000 };

/** Thrown by `retry` when the agent goes down while it waits. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

export interface RetryTools {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborted when the agent goes down. */
  readonly signal: AbortSignal;
}

/** Does it until it succeeds, with growing pauses, forever; every failure is logged. Rejects only with `Stopped`. */
export async function retry<R>(
  what: string,
  { clock, logger, signal }: RetryTools,
  attempt: () => Promise<R>,
): Promise<R> {
  for (let n = 0; ; n++) {
    if (signal.aborted) throw new Stopped(what);
    try {
      return await attempt();
    } catch (err) {
      if (signal.aborted) throw new Stopped(what);
      const pause = Math.min(BACKOFF_MS.first * 2 ** Math.min(n, 10), BACKOFF_MS.most);
      // while the parts of a cloud start, neighbours that are not there yet are no news
      logger[n < 3 ? 'info' : 'warn']({ err, attempt: n + 1, pauseMs: pause }, `could not ${what} yet`);
      await wait(pause, clock, signal);
    }
  }
}

function wait(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** Runs `work` over the items, at most `width` at once. */
export async function eachOf<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, queue.length) }, worker));
}
