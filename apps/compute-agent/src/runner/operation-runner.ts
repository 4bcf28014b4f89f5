/**
 * Takes operations in, and sees each through: judged by the journal, one at a time per guest, so many per host, kept
 * alive by the beat, journalled before it is reported, reported until the transport has taken it.
 *
 * `accept` returns when the operation is on disk, not when it is done: a cast is then acknowledged, and what a crash
 * interrupts is sent again by conductor, whose silence deadline watches over it.
 */
import { performance } from 'node:perf_hooks';
import { unavailable, type RequestContext } from '@fractus/objects';
import type { OperationProgress, OperationRef } from '@fractus/rpc-contracts';
import type { Logger, Metrics } from '@fractus/telemetry';
import { isDriverError, type Clock, type VirtDriver } from '@fractus/virt';
import type { HostRegistry } from '../hosts/host-registry';
import { operationKey, type Begun, type Journal, type Report, type Result } from '../journal/journal';
import type { Operation, OperationRequest } from '../operations';
import type { Outbox } from '../reports/outbox';
import { Beat } from './beat';
import { Lanes } from './lanes';
import { errorOf, failed, stale, superseded } from './outcome';
import { overtakes } from './overtaking';

export interface RunnerParts {
  readonly driver: VirtDriver;
  readonly journal: Journal;
  readonly hosts: HostRegistry;
  readonly reports: Outbox<Report>;
  readonly sendProgress: (progress: OperationProgress, requestId: string) => void;
  readonly maxPerHost: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface Job {
  readonly key: string;
  readonly operation: Operation;
  readonly request: OperationRequest;
  readonly requestId: string;
  readonly abort: AbortController;
  readonly written: Promise<void>;
  /** Moves on when a later lease asks for the same operation. */
  ref: OperationRef;
}

export class OperationRunner {
  private readonly jobs = new Map<string, Job>();
  private readonly active = new Set<Promise<void>>();
  private readonly lanes: Lanes;
  private readonly beat: Beat;
  private readonly seconds;
  private state: 'open' | 'draining' | 'closed' = 'open';

  constructor(private readonly parts: RunnerParts) {
    this.lanes = new Lanes(parts.maxPerHost);
    this.beat = new Beat(parts.clock, parts.sendProgress);
    this.seconds = parts.metrics.histogram(
      'fractus_agent_operation_seconds',
      'Operations on guests, from start to end',
      ['operation', 'outcome'],
    );
  }

  /** Operations accepted and not finished. */
  get underWay(): number {
    return this.jobs.size;
  }

  /** Rejects only when the operation could not be written down: the cast is then to come again. */
  async accept<Req extends OperationRequest>(
    operation: Operation<Req>,
    ctx: RequestContext,
    request: Req,
  ): Promise<void> {
    if (this.state !== 'open') throw unavailable('This agent is going down.', { code: 'agent.draining' });
    const ref = request.operation;
    const { journal, hosts, reports } = this.parts;
    if (!hosts.get(ref.host))
      return this.refuse(ref, ctx, failed('host.not_found', `This agent does not serve host ${ref.host}.`, true));
    const running = this.jobs.get(operationKey(ref));
    if (running) return this.join(running, ref, ctx);
    const verdict = journal.begin({
      operation: operation.name,
      ref,
      requestId: ctx.requestId,
      builds: operation.builds === true,
      forever: operation.forever?.(request) ?? false,
    });
    switch (verdict.kind) {
      case 'stale':
        return this.refuse(ref, ctx, stale(verdict.highest));
      case 'tombstone':
        return this.refuse(ref, ctx, failed('guest.deleted', 'The server has been deleted.'));
      case 'replay':
        await journal.durable();
        return reports.push(verdict.report.key, verdict.report);
      case 'run': {
        // the registry pairs every operation with its own request
        const job = this.open(operation as unknown as Operation, ctx, request);
        this.callOff({ operation: operation.name, ref }, verdict.unfinished);
        this.track(this.lanes.enter(ref.serverId, ref.host, () => this.see(job)));
        await job.written;
      }
    }
  }

  /** Takes nothing more and waits for what runs, at most `ms`; the rest is called off, and conductor sends it again. */
  async close(ms: number): Promise<void> {
    this.state = 'draining';
    if (!(await this.settled(ms))) {
      this.parts.logger.warn(
        { operations: this.jobs.size },
        'operations were still under way when the agent went down',
      );
    }
    this.state = 'closed';
    for (const job of this.jobs.values()) job.abort.abort();
    await this.settled(1_000);
    this.beat.close();
  }

  /** As a crash: nothing more is written or told. */
  kill(): void {
    this.state = 'closed';
    this.beat.close();
    for (const job of this.jobs.values()) job.abort.abort();
  }

  private open(operation: Operation, ctx: RequestContext, request: OperationRequest): Job {
    const ref = request.operation;
    const written = this.parts.journal.durable();
    const job: Job = {
      key: operationKey(ref),
      operation,
      request,
      requestId: ctx.requestId,
      abort: new AbortController(),
      written,
      ref,
    };
    this.jobs.set(job.key, job);
    this.beat.start(job.key, job);
    return job;
  }

  /** The same operation is asked for while it is under way: it answers to whoever asked last. */
  private async join(job: Job, ref: OperationRef, ctx: RequestContext): Promise<void> {
    const highest = this.parts.journal.fenceOf(ref.serverId);
    if (ref.fence < highest) return this.refuse(ref, ctx, stale(highest));
    job.ref = ref;
    this.parts.journal.refence(ref, ctx.requestId);
    this.beat.now(job.key);
    await this.parts.journal.durable();
  }

  /** Ends what the new operation makes pointless: running ones by their signal, interrupted ones in the journal. */
  private callOff(newer: Begun, unfinished: readonly Begun[]): void {
    for (const begun of unfinished) {
      if (!overtakes(newer, begun)) continue;
      const key = operationKey(begun.ref);
      const job = this.jobs.get(key);
      if (job) job.abort.abort();
      else
        this.keep(key, superseded()).catch((err: unknown) =>
          this.parts.logger.error({ err, key }, 'the journal refused a result'),
        );
    }
  }

  private async see(job: Job): Promise<void> {
    try {
      await job.written;
      if (this.state === 'closed') return;
      const result = await this.perform(job);
      // closed meanwhile: it stays begun, and conductor sends it again
      if (!this.isClosed()) await this.keep(job.key, result);
    } catch (err) {
      this.log(job).error({ err }, 'the journal refused an operation; conductor will send it again');
    } finally {
      this.jobs.delete(job.key);
      this.beat.stop(job.key);
    }
  }

  private async perform(job: Job): Promise<Result> {
    if (job.abort.signal.aborted) return superseded();
    const highest = this.parts.journal.fenceOf(job.ref.serverId);
    if (job.ref.fence < highest) return stale(highest);
    const began = performance.now();
    const result = await this.effect(job);
    const took = (performance.now() - began) / 1000;
    this.seconds.labels(job.operation.name, result.outcome).observe(took);
    this.log(job).info(
      { outcome: result.outcome, code: result.error?.code, seconds: Number(took.toFixed(3)) },
      `${job.operation.name} ${result.outcome}`,
    );
    return result;
  }

  private async effect(job: Job): Promise<Result> {
    const { operation, ref, abort, key } = job;
    const host = this.parts.hosts.get(ref.host);
    if (!host) return failed('host.not_found', `This agent does not serve host ${ref.host}.`, true);
    if (operation.diskHeavy) host.ioOps++;
    this.parts.hosts.changed(host.host);
    try {
      const work = {
        fence: ref.fence,
        signal: abort.signal,
        progress: (p: Parameters<Beat['progress']>[1]) => this.beat.progress(key, p),
      };
      const powerState = await operation.run(this.parts.driver, job.request, work);
      if (operation.builds) host.failedBuilds = 0;
      const at = this.parts.clock.now();
      return powerState === undefined ? { outcome: 'done', at } : { outcome: 'done', powerState, at };
    } catch (e) {
      if (abort.signal.aborted) return superseded();
      if (!isDriverError(e)) this.log(job).error({ err: e }, 'a driver threw what it should not');
      if (operation.builds) host.failedBuilds++;
      return { outcome: 'failed', error: errorOf(e, operation.builds === true) };
    } finally {
      if (operation.diskHeavy) host.ioOps--;
      this.parts.hosts.changed(host.host);
    }
  }

  /** Writes the result down, then hands it to the outbox. */
  private async keep(key: string, result: Result): Promise<void> {
    this.parts.journal.finish(key, result);
    await this.parts.journal.durable();
    if (this.isClosed()) return;
    const report = this.parts.journal.reportOf(key);
    if (report) this.parts.reports.push(key, report);
  }

  /** An answer that the journal does not keep: nothing was begun. */
  private refuse(ref: OperationRef, ctx: RequestContext, result: Result): void {
    this.parts.logger.info(
      {
        request_id: ctx.requestId,
        server_id: ref.serverId,
        host: ref.host,
        fence: ref.fence,
        code: result.error?.code,
      },
      'refused an operation',
    );
    const key = `refused ${operationKey(ref)} ${ref.fence}`;
    this.parts.reports.push(key, { key, requestId: ctx.requestId, finished: { operation: ref, ...result } });
  }

  private track(work: Promise<void>): void {
    this.active.add(work);
    void work.finally(() => this.active.delete(work));
  }

  /** False when it took longer than `ms`. */
  private async settled(ms: number): Promise<boolean> {
    if (this.active.size === 0) return true;
    let cancel: () => void = () => undefined;
    const late = new Promise<false>((resolve) => (cancel = this.parts.clock.after(ms, () => resolve(false))));
    const done = await Promise.race([Promise.allSettled(this.active).then((): true => true), late]);
    cancel();
    return done;
  }

  private isClosed(): boolean {
    return this.state === 'closed';
  }

  private log({ requestId, ref }: Job): Logger {
    return this.parts.logger.child({ request_id: requestId, server_id: ref.serverId, host: ref.host });
  }
}
