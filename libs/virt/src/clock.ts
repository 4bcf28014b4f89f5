/** Time as drivers and agents see it. Handed in, so that tests turn it by hand and never sleep. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Runs `run` once, `ms` from now; the returned function takes it back. Keeps no process alive. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    // a longer wait than the runtime's timers can hold is cut: whoever asked looks at the time again
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), 0x7fffffff));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A clock that stands still until it is turned. */
export class ManualClock implements Clock {
  private readonly due = new Map<number, { at: number; run: () => void }>();
  private sequence = 0;

  constructor(private time: number = Date.UTC(2026, 0, 1)) {}

  now(): number {
    return this.time;
  }

  after(ms: number, run: () => void): () => void {
    const id = ++this.sequence;
    this.due.set(id, { at: this.time + Math.max(ms, 0), run });
    return () => void this.due.delete(id);
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.due.size;
  }

  /** Turns time forward by `ms`, running what falls due in order; promises settle between one timer and the next. */
  async advance(ms: number): Promise<void> {
    const until = this.time + ms;
    for (;;) {
      await settle();
      const next = [...this.due].filter(([, d]) => d.at <= until).sort(([a, x], [b, y]) => x.at - y.at || a - b)[0];
      if (!next) break;
      this.due.delete(next[0]);
      this.time = Math.max(this.time, next[1].at);
      next[1].run();
    }
    this.time = until;
  }
}

/** Lets everything that is ready to run do so: some turns of the event loop. */
export async function settle(turns = 6): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
