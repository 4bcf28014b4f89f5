import type { OperationProgress, OperationRef } from '@fractus/rpc-contracts';
import type { Clock, Progress } from '@fractus/virt';

/** A job as the beat sees it. */
export interface Beating {
  ref: OperationRef;
  readonly requestId: string;
}

interface Pulse {
  readonly job: Beating;
  phase?: string;
  percent?: number;
  /** When it began, or last told something. */
  sentAt: number;
  /** It is in another phase than was told. */
  turned: boolean;
  /** False while the driver says that it has lost touch: then silence is allowed to run out. */
  vouched: boolean;
}

/** Between two reports that only move the percentage, in milliseconds. */
const PERCENT_EVERY_MS = 1_000;
/** A phase is told once nothing was told for so long: what ends sooner tells its result and nothing before. */
const PHASE_AFTER_MS = 250;

/**
 * Signs of life of every operation that was accepted and is not finished, waiting ones too: at least thrice within the
 * silence that conductor allows, and soon when the phase changes. One timer for all.
 */
export class Beat {
  private readonly pulses = new Map<string, Pulse>();
  private cancel: (() => void) | null = null;
  private wakesAt = Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly send: (progress: OperationProgress, requestId: string) => void,
  ) {}

  start(key: string, job: Beating): void {
    const pulse = { job, sentAt: this.clock.now(), turned: false, vouched: true };
    this.pulses.set(key, pulse);
    this.arm(pulse);
  }

  stop(key: string): void {
    this.pulses.delete(key);
  }

  /** What the driver says from inside. */
  progress(key: string, { phase, percent, stalled = false }: Progress): void {
    const pulse = this.pulses.get(key);
    if (!pulse) return;
    if (phase !== undefined && phase !== pulse.phase) {
      pulse.percent = undefined;
      pulse.turned = true;
    }
    pulse.phase = phase ?? pulse.phase;
    pulse.percent = percent ?? pulse.percent;
    pulse.vouched = !stalled;
    const moved = percent !== undefined && this.clock.now() - pulse.sentAt >= PERCENT_EVERY_MS;
    if (pulse.vouched && (moved || dueAt(pulse) <= this.clock.now())) this.report(pulse);
    this.arm(pulse);
  }

  /** Conductor asked again: tell it at once that the operation is under way. */
  now(key: string): void {
    const pulse = this.pulses.get(key);
    if (!pulse?.vouched) return;
    this.report(pulse);
    this.arm(pulse);
  }

  close(): void {
    this.cancel?.();
    this.pulses.clear();
  }

  private report(pulse: Pulse): void {
    pulse.sentAt = this.clock.now();
    pulse.turned = false;
    const progress: OperationProgress = { operation: pulse.job.ref };
    if (pulse.phase !== undefined) progress.phase = pulse.phase;
    if (pulse.percent !== undefined) progress.percent = pulse.percent;
    this.send(progress, pulse.job.requestId);
  }

  /** Makes sure that the timer wakes no later than this pulse needs. */
  private arm(pulse: Pulse): void {
    if (pulse.vouched) this.wakeAt(dueAt(pulse));
  }

  private wakeAt(at: number): void {
    if (at >= this.wakesAt) return; // an earlier wake looks again
    this.cancel?.();
    this.wakesAt = at;
    this.cancel = this.clock.after(at - this.clock.now(), () => this.wake());
  }

  private wake(): void {
    this.wakesAt = Infinity;
    this.cancel = null;
    const now = this.clock.now();
    let next = Infinity;
    for (const pulse of this.pulses.values()) {
      if (!pulse.vouched) continue;
      if (dueAt(pulse) <= now) this.report(pulse);
      next = Math.min(next, dueAt(pulse));
    }
    if (next < Infinity) this.wakeAt(next);
  }
}

const dueAt = ({ job, sentAt, turned }: Pulse): number =>
  sentAt + Math.min((job.ref.silenceSeconds * 1000) / 3, turned ? PHASE_AFTER_MS : Infinity);
