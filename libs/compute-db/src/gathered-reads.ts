/**
 * Reads of single things by their keys, as few statements. Who asks in the same turn of the event loop, and who asks
 * while as many statements are under way as may be, share the next one: under load it costs a fraction of a statement to
 * read a row, for a lone asker it is as if this were not here. Everybody gets what was true after they asked.
 */
import type { Database } from '@fractus/database';

/** Keys in one statement. */
const MOST_KEYS = 100;
/** Statements at the same time. */
const WIDTH = 2;

interface Batch<T> {
  readonly keys: Set<string>;
  readonly result: Promise<ReadonlyMap<string, T>>;
}

export class GatheredReads<T> {
  private next: Batch<T> | undefined;
  private free = WIDTH;
  private readonly queue: (() => void)[] = [];

  constructor(
    private readonly db: Database,
    /** Reads what is there of the keys, by one statement. */
    private readonly read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  ) {}

  async load(key: string): Promise<T | undefined> {
    // a unit of work reads for itself, through itself
    if (this.db.inTransaction()) return (await this.read([key])).get(key);
    const batch = (this.next ??= this.open());
    batch.keys.add(key);
    if (batch.keys.size >= MOST_KEYS) this.next = undefined;
    return (await batch.result).get(key);
  }

  private open(): Batch<T> {
    const keys = new Set<string>();
    const run = async (): Promise<ReadonlyMap<string, T>> => {
      await this.turn();
      // who comes from now on is too late for this one
      if (this.next === batch) this.next = undefined;
      try {
        return await this.read([...keys]);
      } finally {
        this.end();
      }
    };
    const batch: Batch<T> = { keys, result: run() };
    return batch;
  }

  /** Resolves when this turn of the event loop is over and a statement may be given. */
  private turn(): Promise<void> {
    return new Promise((resolve) => {
      if (this.free === 0) return void this.queue.push(resolve);
      this.free--;
      setImmediate(resolve);
    });
  }

  private end(): void {
    const next = this.queue.shift();
    if (next) next();
    else this.free++;
  }
}
