/**
 * Keeps one process's estate true to the database.
 *
 * Every write appends to the change log in its own transaction; every read pulls the log first. What was committed
 * before a read began is therefore seen by it, whichever replica wrote it. Sequence numbers are handed out before
 * commit, so they become visible out of order: numbers that were skipped are remembered and asked for again until they
 * are so old that no transaction can still hold them. Where the log tells what a write did to usage, and the tree here
 * lacks nothing but that write (each provider's revision says so), it is done here too; the lock on a provider makes the
 * log's order its order. All other trees named in the log are read again whole, in one snapshot, one pull after the
 * other, so a later pull never brings an older state. A new epoch (after a restore), or a log trimmed past what this
 * replica has seen, makes it read everything.
 */
import { placeholders, type Database } from '@fractus/database';
import { Estate, type UsageWrite } from '../domain/estate';
import { NAMES, usageOf } from '../store/change-log';
import { type Names, readNames } from '../store/names';
import { rethrowUnavailable } from '../store/unavailable';
import { NamesOutdated, readTrees } from '../store/tree-reader';

/** Longer than any transaction lives (InnoDB gives up on a lock after 50 s). */
const GAP_PATIENCE_MS = 120_000;
/** Skipped numbers asked for at once; with more, reading everything is cheaper and always right. */
const MAX_GAPS = 2_000;
/** How far below the newest number an open transaction may have taken one. */
const RECENT = 1_000;

interface LogLine {
  epoch: string;
  trimmed_through: number;
  seq: number | null;
  root_id: number | null;
  at: number;
  detail: string | null;
}

export class EstateReplica {
  readonly estate = new Estate();
  private known: Names | undefined;
  private epoch = '';
  private last = 0;
  private readonly gaps = new Map<number, number>();
  /** Roots that the log named and that have not been read again yet. */
  private readonly stale = new Set<number>();
  private treesWanted = false;
  private running: Promise<void> | undefined;
  private queued: Promise<void> | undefined;

  constructor(
    private readonly db: Database,
    private readonly now: () => number = Date.now,
  ) {}

  /** Whether there has been a sync. */
  get hasNames(): boolean {
    return this.known !== undefined;
  }

  /** The names of traits and classes as of the last sync. */
  get names(): Names {
    if (!this.known) throw new Error('the estate has not been read yet');
    return this.known;
  }

  /** Resolves when everything that was committed before the call is in the estate. Never inside a unit of work. */
  sync(): Promise<void> {
    this.treesWanted = true;
    return this.request();
  }

  /** As `sync`, for the names alone: trees may still be old. What a write needs, which locks and reads rows itself. */
  syncNames(): Promise<void> {
    return this.request();
  }

  private request(): Promise<void> {
    this.db.assertOutsideTransaction('reading the estate');
    // a pull that is under way may have asked before our caller's commit; the one after it is shared by all who wait
    if (this.queued) return this.queued;
    if (!this.running) return this.start();
    this.queued = this.running.then(
      () => this.start(),
      () => this.start(),
    );
    return this.queued;
  }

  private start(): Promise<void> {
    this.queued = undefined;
    const trees = this.treesWanted;
    this.treesWanted = false;
    const pull = this.pull(trees)
      .catch((e: unknown) => {
        // whoever asks next must not take what is stale for true
        if (trees) this.treesWanted = true;
        return rethrowUnavailable(e);
      })
      .finally(() => {
        if (this.running === pull) this.running = undefined;
      });
    this.running = pull;
    return pull;
  }

  /**
   * Again where a provider has gone, until it is found or the log has nothing new: trees are newer than the log that
   * named them, and it may have moved on to one that only the rest of the log names.
   */
  private async pull(trees: boolean): Promise<void> {
    const gone = new Set<number>();
    do {
      if (!(await this.pullOnce(trees, gone))) return;
      for (const id of gone) if (this.estate.providerById(id)) gone.delete(id);
    } while (gone.size > 0);
  }

  /** Whether there was anything new; adds providers that are not there any more to `gone`. */
  private async pullOnce(trees: boolean, gone: Set<number>): Promise<boolean> {
    const gaps = [...this.gaps.keys()];
    // put in order here: MariaDB would write a table with texts to disk for that
    const lines = await this.db.query<LogLine>(
      `SELECT s.epoch, s.trimmed_through, l.seq, l.root_id, l.at, l.detail FROM placement_state s
       LEFT JOIN change_log l ON l.seq > ?${gaps.length ? ` OR l.seq IN (${placeholders(gaps)})` : ''}`,
      [this.last, ...gaps],
    );
    const state = lines[0];
    if (!state) throw new Error('placement_state is empty: the database was not set up');
    if (
      !this.known ||
      state.epoch !== this.epoch ||
      Number(state.trimmed_through) > this.last ||
      gaps.length > MAX_GAPS
    ) {
      await this.reload();
      return false;
    }
    const changes = lines.filter((l) => l.seq !== null).sort((a, b) => Number(a.seq) - Number(b.seq));
    for (const change of changes) {
      const root = Number(change.root_id);
      if (!this.stale.has(root) && !this.applied(root, change)) this.stale.add(root);
    }
    this.advance(changes.map((c) => Number(c.seq)));
    if (this.stale.size === 0 || !(trees || this.stale.has(NAMES))) return false;
    const roots = new Set(trees ? this.stale : [NAMES]);
    for (const root of roots) for (const p of this.estate.treeOfRoot(root)?.providers ?? []) gone.add(p.id);
    await this.reread(roots);
    return true;
  }

  /** False when the tree has to be read again. */
  private applied(root: number, { detail, at }: LogLine): boolean {
    if (detail === null || this.stale.has(NAMES)) return false;
    const writes: UsageWrite[] = [];
    for (const { deltas, ...write } of usageOf(detail)) {
      const byName = new Map<string, number>();
      for (const [classId, units] of deltas) {
        const name = this.names.classes.name(classId);
        if (name === undefined) return false;
        byName.set(name, units);
      }
      writes.push({ ...write, at: Number(at), deltas: byName });
    }
    return this.estate.applyUsage(root, writes);
  }

  private async reread(roots: Set<number>): Promise<void> {
    const wanted = [...roots].filter((id) => id !== NAMES).sort((a, b) => a - b);
    const { names, trees } = await this.db.snapshot(async (tx) => {
      const names = roots.has(NAMES) || !this.known ? await readNames(tx) : this.known;
      try {
        return { names, trees: await readTrees(tx, names, wanted) };
      } catch (e) {
        // the snapshot may be newer than the log that was read: a tree may use a name created since
        if (!(e instanceof NamesOutdated)) throw e;
        const fresh = await readNames(tx);
        return { names: fresh, trees: await readTrees(tx, fresh, wanted) };
      }
    });
    this.known = names;
    const found = new Set(trees.map((t) => t.root.id));
    for (const id of wanted) if (!found.has(id)) this.estate.removeRoot(id);
    for (const tree of trees) this.estate.put(tree);
    for (const root of roots) this.stale.delete(root);
  }

  private async reload(): Promise<void> {
    const all = await this.db.snapshot(async (tx) => {
      const names = await readNames(tx);
      const [state] = await tx.query<{ epoch: string; trimmed_through: number }>(
        'SELECT epoch, trimmed_through FROM placement_state',
      );
      const [log] = await tx.query<{ last: number | null }>('SELECT MAX(seq) AS last FROM change_log');
      const trimmed = Number(state?.trimmed_through ?? 0);
      const last = Math.max(Number(log?.last ?? 0), trimmed);
      const from = Math.max(trimmed, last - RECENT);
      const recent = await tx.query<{ seq: number }>('SELECT seq FROM change_log WHERE seq > ?', [from]);
      return {
        names,
        trees: await readTrees(tx, names),
        epoch: state?.epoch ?? '',
        last,
        from,
        recent: new Set(recent.map((r) => Number(r.seq))),
      };
    });
    this.known = all.names;
    this.epoch = all.epoch;
    this.gaps.clear();
    this.stale.clear();
    // numbers below the newest that this snapshot does not have may still be committed
    for (let seq = all.from + 1; seq < all.last; seq++) if (!all.recent.has(seq)) this.gaps.set(seq, this.now());
    this.last = all.last;
    this.estate.clear();
    for (const tree of all.trees) this.estate.put(tree);
  }

  private advance(seqs: readonly number[]): void {
    const now = this.now();
    for (const seq of seqs) {
      if (this.gaps.delete(seq) || seq <= this.last) continue;
      for (let skipped = this.last + 1; skipped < seq; skipped++) this.gaps.set(skipped, now);
      this.last = seq;
    }
    this.expireGaps();
  }

  private expireGaps(): void {
    const old = this.now() - GAP_PATIENCE_MS;
    for (const [seq, since] of this.gaps) if (since < old) this.gaps.delete(seq);
  }
}
