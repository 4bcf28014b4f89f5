/**
 * What an agent must not forget: which lease it has obeyed, what it has begun, how that ended, and which servers are
 * gone for good.
 *
 * Background. Messages come at least once, late, and out of order; both ends crash at any moment. The journal turns
 * that into "exactly one effect": (1) a fence per server only grows, and an operation with a lower one is refused;
 * (2) an operation is known by (task, step, attempt) and the host, and its result is kept, so that a repeat is answered
 * and not done again; (3) a tombstone refuses every build of a server that was deleted.
 *
 * How it works. One SQLite file, written in groups (`group-commit.ts`). `begin` and `finish` decide and write at once
 * in memory of the transaction; the caller awaits `durable` before it acts on the answer: before the effect after
 * `begin`, before the report after `finish`. What has begun and not finished when the process dies stays so: conductor
 * sends it again, and drivers look before they act.
 *
 * Old lines go after a retention time that is far beyond the life of any message; unreported results never go.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { unavailable } from '@fractus/objects';
import type { OperationFinished, OperationRef } from '@fractus/rpc-contracts';
import { GroupCommit } from './group-commit';
import { openSchema, type OperationRow, type Statements } from './schema';

/** How an operation ended, without the reference that it answers to. */
export type Result = Pick<OperationFinished, 'outcome' | 'powerState' | 'error' | 'at'>;

/** A result on its way to conductor. */
export interface Report {
  readonly key: string;
  readonly requestId: string;
  readonly finished: OperationFinished;
}

export interface Begin {
  readonly operation: string;
  readonly ref: OperationRef;
  readonly requestId: string;
  /** A build is refused for a server that has a tombstone. */
  readonly builds: boolean;
  /** A destroy for ever sets the tombstone. */
  readonly forever: boolean;
}

/** An operation that the journal knows to have begun. */
export interface Begun {
  readonly operation: string;
  readonly ref: OperationRef;
}

export type Verdict =
  /** Do it. `resumed`: it had begun before. `unfinished`: other operations of the server that began and did not finish. */
  | { readonly kind: 'run'; readonly resumed: boolean; readonly unfinished: readonly Begun[] }
  /** It was done before; the kept result is to be reported again. */
  | { readonly kind: 'replay'; readonly report: Report }
  | { readonly kind: 'stale'; readonly highest: number }
  | { readonly kind: 'tombstone' };

export interface JournalOptions {
  readonly path: string;
  readonly now: () => number;
  /** A commit failed: whoever waited for it has been told; this is for the log. */
  readonly onFailure?: (cause: unknown) => void;
}

/** Error code of an operation that a later one of the same server has overtaken. */
export const SUPERSEDED = 'operation.superseded';

/** Name of an operation for ever: the task's key, and the host, because one step may reach several hosts. */
export const operationKey = (ref: OperationRef): string => `${ref.taskId}/${ref.step}/${ref.attempt}@${ref.host}`;

export class Journal {
  private readonly db: Database.Database;
  private readonly sql: Statements;
  private readonly group: GroupCommit;
  private readonly now: () => number;

  constructor({ path, now, onFailure = () => undefined }: JournalOptions) {
    try {
      mkdirSync(dirname(path), { recursive: true });
      this.db = new Database(path);
      this.sql = openSchema(this.db);
    } catch (e) {
      throw unavailable(`cannot use the journal ${path}: ${(e as Error).message}`, {
        code: 'journal.unusable',
        cause: e,
      });
    }
    this.group = new GroupCommit(this.db, onFailure);
    this.now = now;
  }

  /**
   * Number of a new life of this agent: its start in milliseconds, and always more than the one before, for the clock
   * may have been set back, and reports of an earlier incarnation are dropped.
   */
  beginLife(): number {
    const last = (this.sql.life.get() as { incarnation: number } | undefined)?.incarnation ?? 0;
    const incarnation = Math.max(this.now(), last + 1);
    this.sql.beginLife.run(incarnation);
    return incarnation;
  }

  /** Judges an operation that has come in, and notes it. Await `durable` before acting on `run` or `replay`. */
  begin(request: Begin): Verdict {
    return this.group.write(() => this.judge(request));
  }

  /** Keeps how it ended; the first result counts. Await `durable` before reporting. */
  finish(key: string, result: Result): void {
    this.group.write(() => this.sql.finish.run(JSON.stringify(result), this.now(), key));
  }

  /** The report of a finished operation, with the newest reference that asked for it. */
  reportOf(key: string): Report | null {
    const row = this.row(key);
    return row?.result == null ? null : reportOf(row);
  }

  /** An operation under way was asked for again, by a later lease: its report answers to that one. */
  refence(ref: OperationRef, requestId: string): void {
    this.group.write(() => {
      this.raise(ref.serverId, ref.fence, false);
      this.sql.refence.run(ref.fence, requestId, operationKey(ref));
    });
  }

  /** The transport has taken the report. `fence`: of the report; a repeat that came meanwhile is not yet answered. */
  markReported(key: string, fence: number): void {
    this.group.write(() => this.sql.reported.run(key, fence), true);
  }

  /** Results that conductor has not been told, oldest first. */
  unreported(): Report[] {
    return (this.sql.unreported.all() as OperationRow[]).map(reportOf);
  }

  /** Highest fence seen for a server; 0 for none. */
  fenceOf(serverId: string): number {
    return this.known(serverId)?.fence ?? 0;
  }

  hasTombstone(serverId: string): boolean {
    return this.known(serverId)?.tombstone === 1;
  }

  /** Conductor told a fence outside any operation. A lower one changes nothing. */
  raiseFence(serverId: string, fence: number): void {
    this.group.write(() => this.raise(serverId, fence, false));
  }

  /** Servers with operations on a host that began and did not finish. */
  unfinished(host: string): string[] {
    return (this.sql.unfinished.all(host) as { serverId: string }[]).map((r) => r.serverId);
  }

  nodeIds(): Map<string, string> {
    return new Map((this.sql.nodes.all() as { host: string; nodeId: string }[]).map((r) => [r.host, r.nodeId]));
  }

  saveNodeIds(ids: Iterable<readonly [host: string, nodeId: string]>): void {
    this.group.write(() => {
      for (const [host, id] of ids) this.sql.saveNode.run(host, id);
    });
  }

  /** Forgets what is older than `before` (epoch milliseconds) and no longer needed. Answers with how many lines went. */
  compact(before: number): number {
    return this.group.write(
      () =>
        [this.sql.forgetOperations, this.sql.forgetUnfinished, this.sql.forgetFences].reduce(
          (n, s) => n + s.run(before).changes,
          0,
        ),
      true,
    );
  }

  durable(): Promise<void> {
    return this.group.durable();
  }

  close(): void {
    this.group.commit();
    this.db.close();
  }

  /** Ends as a crash would: what was not committed is lost. */
  crash(): void {
    this.group.discard();
    this.db.close();
  }

  private judge({ operation, ref, requestId, builds, forever }: Begin): Verdict {
    const known = this.known(ref.serverId);
    if (known && ref.fence < known.fence) return { kind: 'stale', highest: known.fence };
    const key = operationKey(ref);
    const before = this.row(key);
    // of the same lease, conductor has already moved on to a later attempt: this message was late
    if (!before && known?.fence === ref.fence && this.latestAttempt(ref) > ref.attempt)
      return { kind: 'stale', highest: known.fence };
    this.raise(ref.serverId, ref.fence, forever);
    if (before?.result != null && !wasSuperseded(before)) {
      this.sql.replay.run(ref.fence, requestId, key);
      return {
        kind: 'replay',
        report: reportOf({
          ...before,
          fence: ref.fence,
          request_id: requestId,
          silence_seconds: ref.silenceSeconds,
          replayed: 1,
        }),
      };
    }
    if (builds && known?.tombstone === 1) return { kind: 'tombstone' };
    this.sql.begin.run(rowOf(key, operation, ref, requestId, this.now()));
    const others = this.sql.others.all(ref.serverId, key) as OperationRow[];
    return {
      kind: 'run',
      resumed: before !== undefined,
      unfinished: others.map((row) => ({ operation: row.operation, ref: refOf(row) })),
    };
  }

  private latestAttempt(ref: OperationRef): number {
    return (
      (this.sql.latestAttempt.get(ref.serverId, ref.taskId, ref.step, ref.host) as { attempt: number | null })
        .attempt ?? 0
    );
  }

  private raise(server: string, fence: number, tombstone: boolean): void {
    this.sql.raise.run({ server, fence, tombstone: tombstone ? 1 : 0, at: this.now() });
  }

  private known(serverId: string): { fence: number; tombstone: number } | undefined {
    return this.sql.fence.get(serverId) as { fence: number; tombstone: number } | undefined;
  }

  private row(key: string): OperationRow | undefined {
    return this.sql.operation.get(key) as OperationRow | undefined;
  }
}

function rowOf(
  key: string,
  operation: string,
  ref: OperationRef,
  requestId: string,
  now: number,
): Omit<OperationRow, 'finished_at' | 'result' | 'reported' | 'replayed'> {
  return {
    key,
    operation,
    server_id: ref.serverId,
    task_id: ref.taskId,
    step: ref.step,
    attempt: ref.attempt,
    host: ref.host,
    fence: ref.fence,
    silence_seconds: ref.silenceSeconds,
    request_id: requestId,
    begun_at: now,
  };
}

function refOf(row: OperationRow): OperationRef {
  return {
    taskId: row.task_id,
    serverId: row.server_id,
    step: row.step,
    attempt: row.attempt,
    fence: row.fence,
    host: row.host,
    silenceSeconds: row.silence_seconds,
  };
}

/** It was called off, so it had no effect: whoever asks again wants it done. */
function wasSuperseded(row: OperationRow): boolean {
  return (JSON.parse(row.result ?? '{}') as Result).error?.code === SUPERSEDED;
}

function reportOf(row: OperationRow): Report {
  const finished: OperationFinished = { operation: refOf(row), ...(JSON.parse(row.result ?? '{}') as Result) };
  if (row.replayed === 1) finished.replayed = true;
  return { key: row.key, requestId: row.request_id, finished };
}
