/**
 * Decides when a delivery may start. Three gates in a row, each first in first out: one at a time per serial key (a
 * server), so many per host, so many in all. Calls and casts have a pool each: a cast's handler may wait for a call
 * to its own app without the casts around it starving that call.
 */
import { Fifo } from './fifo';

export interface Job {
  readonly pool: 'call' | 'cast' | 'news';
  /** Jobs of one key never overlap and start in order. */
  readonly key?: string;
  readonly host?: string;
  /** Never rejects. */
  run(): Promise<void>;
  /** Gives the job back before it started. */
  release?(): void;
}

export interface Limits {
  readonly cast: number;
  readonly call: number;
  readonly perHost: number;
}

type Go = () => void;

class Gate {
  private running = 0;
  private readonly waiting = new Fifo<Go>();
  constructor(private readonly limit: number) {}

  enter(go: Go): void {
    if (this.running >= this.limit) return this.waiting.push(go);
    this.running++;
    go();
  }

  /** Whether the gate is now unused. */
  leave(): boolean {
    const next = this.waiting.shift();
    if (next) next();
    else this.running--;
    return this.running === 0;
  }
}

class KeyedGate {
  private readonly gates = new Map<string, Gate>();
  constructor(private readonly limit: number) {}

  enter(key: string | undefined, go: Go): void {
    if (key === undefined) return go();
    let gate = this.gates.get(key);
    if (!gate) this.gates.set(key, (gate = new Gate(this.limit)));
    gate.enter(go);
  }

  leave(key: string | undefined): void {
    if (key !== undefined && this.gates.get(key)?.leave()) this.gates.delete(key);
  }
}

export class Dispatcher {
  private readonly keys = new KeyedGate(1);
  private readonly hosts: KeyedGate;
  private readonly pools: Record<Job['pool'], Gate>;
  private readonly waiting = new Set<Job>();
  private open = 0;
  private idle: Go[] = [];

  constructor(limits: Limits) {
    this.hosts = new KeyedGate(limits.perHost);
    this.pools = { cast: new Gate(limits.cast), call: new Gate(limits.call), news: new Gate(Infinity) };
  }

  submit(job: Job): void {
    this.open++;
    this.waiting.add(job);
    this.keys.enter(job.key, () => this.hosts.enter(job.host, () => this.pools[job.pool].enter(() => this.start(job))));
  }

  /** Gives back every job that has not started and can be given back, the last first: so the first is next again. */
  releaseWaiting(): void {
    for (const job of [...this.waiting].reverse()) {
      if (!job.release) continue;
      this.waiting.delete(job);
      job.release();
    }
  }

  /** Resolves when nothing runs or waits. */
  drained(): Promise<void> {
    return this.open === 0 ? Promise.resolve() : new Promise((resolve) => this.idle.push(resolve));
  }

  private start(job: Job): void {
    if (this.waiting.delete(job)) void job.run().then(() => this.done(job));
    else queueMicrotask(() => this.done(job)); // released meanwhile; not in this stack, which a long queue would deepen
  }

  private done(job: Job): void {
    this.pools[job.pool].leave();
    this.hosts.leave(job.host);
    this.keys.leave(job.key);
    if (--this.open === 0) this.idle.splice(0).forEach((resolve) => resolve());
  }
}
