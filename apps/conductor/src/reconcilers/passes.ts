/**
 * When reconcilers run, and where. Of several conductors one at a time has the duty and makes a pass every
 * `reconcileSeconds`; when it dies another has it two intervals later. A pass for an operator (`once`) may be made by
 * any of them; two passes never run at the same time.
 */
import type { DutiesRepository } from '@fractus/compute-db';
import { unavailable } from '@fractus/objects';
import type { ReconcileFinding } from '@fractus/rpc-contracts';
import type { Logger } from '@fractus/telemetry';
import type { Reconciler } from './reconciler';

/** Who makes passes at the interval. */
const DUTY = 'reconcile';
/** Who is in the middle of a pass. */
const PASS = 'reconcile.pass';
/** Milliseconds for which a pass is its maker's without a renewal. */
const PASS_MS = 60_000;
/** How long, and at what interval, an operator's pass waits for one that is under way. */
const WAIT_MS = 240_000;
const LOOK_MS = 250;

export interface PassesOptions {
  readonly reconcilers: readonly Reconciler[];
  readonly duties: DutiesRepository;
  /** `<instance>/<incarnation>`. */
  readonly owner: string;
  /** Milliseconds between passes; 0: none but those asked for. */
  readonly everyMs: number;
  readonly clock: () => number;
  readonly logger: Logger;
  /** For tests: milliseconds that nobody sets back. */
  readonly monotonic?: () => number;
  /** For tests. */
  readonly pause?: (ms: number) => Promise<void>;
}

export class Passes {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private closing = false;
  private count = 0;

  constructor(private readonly options: PassesOptions) {}

  start(): void {
    const { everyMs } = this.options;
    if (everyMs === 0) return;
    this.timer = setInterval(() => {
      // a pass that takes longer than the interval is not followed by those that it kept from running
      this.running ??= this.tick().finally(() => (this.running = undefined));
    }, everyMs);
    this.timer.unref();
  }

  /** A pass, if it is this conductor's duty and none is under way; null when not. */
  async inTurn(): Promise<ReconcileFinding[] | null> {
    const { duties, owner, everyMs, clock } = this.options;
    const now = clock();
    return (await duties.take(DUTY, owner, now + 2 * everyMs, now)) ? this.pass() : null;
  }

  /** A pass now, whoever has the duty; waits for one that is under way. `unavailable` `reconcile.busy` when that takes too long. */
  async once(): Promise<ReconcileFinding[]> {
    const { clock, pause = sleep } = this.options;
    const end = clock() + WAIT_MS;
    for (;;) {
      const findings = await this.pass();
      if (findings) return findings;
      if (clock() >= end || this.closing)
        throw unavailable('another pass of the reconcilers is under way', { code: 'reconcile.busy', retryAfter: 10 });
      await pause(LOOK_MS);
    }
  }

  /** Stops behind the reconciler that runs, and leaves the duty to others. */
  async close(): Promise<void> {
    this.closing = true;
    clearInterval(this.timer);
    await this.running;
    const { duties, owner, logger } = this.options;
    await duties.drop(DUTY, owner).catch((err: unknown) => logger.warn({ err }, 'the duty was not let go of'));
  }

  private async tick(): Promise<void> {
    if (this.closing) return;
    await this.inTurn().catch((err: unknown) =>
      this.options.logger.warn({ err }, 'reconcilers could not run; they do at the next interval'),
    );
  }

  private async pass(): Promise<ReconcileFinding[] | null> {
    const { duties, owner, clock, logger, monotonic = () => performance.now() } = this.options;
    const me = `${owner}#${++this.count}`;
    // when nobody can be asked, by the time that went by here: another may have the pass from then on
    let mineUntil = -Infinity;
    const take = async (): Promise<boolean> => {
      const asked = monotonic();
      const ours = await duties.take(PASS, me, clock() + PASS_MS, clock());
      mineUntil = ours ? asked + PASS_MS : -Infinity;
      return ours;
    };
    if (!(await take())) return null;
    const lost = (err: unknown): void => logger.warn({ err }, 'the pass was not renewed');
    const renewal = setInterval(() => void take().catch(lost), PASS_MS / 3);
    renewal.unref();
    try {
      return await this.runAll(() => monotonic() < mineUntil && !this.closing);
    } finally {
      clearInterval(renewal);
      await duties.drop(PASS, me).catch(lost);
    }
  }

  private async runAll(goOn: () => boolean): Promise<ReconcileFinding[]> {
    const { reconcilers, logger } = this.options;
    const findings: ReconcileFinding[] = [];
    for (const { name, run } of reconcilers) {
      if (!goOn()) break;
      try {
        const found = await run();
        const acted = found.filter((f) => f.acted).length;
        if (acted > 0) logger.info({ reconciler: name, acted, found: found.length }, 'reconciled');
        findings.push(...found.map((f) => ({ reconciler: name, ...f })));
      } catch (err) {
        logger.warn({ err, reconciler: name }, 'reconciler failed; it runs again at the next interval');
        findings.push({
          reconciler: name,
          subject: `reconciler ${name}`,
          finding: `It could not finish: ${err instanceof Error ? err.message : String(err)}`,
          acted: false,
          outcome: 'It runs again with the next pass.',
        });
      }
    }
    return findings;
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
