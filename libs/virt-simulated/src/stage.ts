/** How an operation passes its time and where it fails, before it has any effect. */
import { aborted, DriverError, type Clock, type Work } from '@fractus/virt';
import { injectedFaults, type InjectedFaults } from './faults';
import type { GuestStore } from './guest-store';
import type { FaultProfile, LatencyProfile, SimulatedOperation } from './options';

export interface Act {
  readonly operation: SimulatedOperation;
  readonly host: string;
  readonly serverId: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly work: Work;
}

export interface StageOptions {
  readonly latency: LatencyProfile;
  readonly faultsOf: (host: string) => FaultProfile;
  readonly random: () => number;
  readonly clock: Clock;
  readonly store: GuestStore;
}

const STEPS = 10;

export class Stage {
  constructor(private readonly options: StageOptions) {}

  /** Passes the time that the operation takes; then returns if it is to succeed, and throws a DriverError if not. */
  async play(act: Act): Promise<void> {
    const { operation, work } = act;
    const faults = injectedFaults(act.metadata, operation);
    if (work.signal.aborted) throw aborted(operation);
    work.progress({ phase: operation === 'spawn' ? 'spawning' : operation, percent: 0 });
    await this.hang(act, faults);
    await this.passTime(act, this.options.latency[operation] + faults.delayMs);
    if (work.signal.aborted) throw aborted(operation);
    this.fail(act, faults);
    work.progress({ percent: 100 });
  }

  private async hang({ operation, serverId, work }: Act, faults: InjectedFaults): Promise<void> {
    if (faults.hang === null) return;
    if (this.options.store.countFault(serverId, `hang_${operation}`) >= faults.hangTimes) return;
    work.progress(faults.hang === 'stalled' ? { stalled: true } : {});
    await new Promise<void>((resolve) => {
      if (work.signal.aborted) return resolve();
      work.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  private async passTime({ work }: Act, ms: number): Promise<void> {
    if (ms <= 0) return;
    // a long operation tells how far it is; a short one is one wait
    const steps = ms >= 1000 ? STEPS : 1;
    for (let i = 1; i <= steps && !work.signal.aborted; i++) {
      await this.wait(ms / steps, work.signal);
      if (i < steps) work.progress({ percent: Math.round((100 * i) / steps) });
    }
  }

  private wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.options.clock.after(ms, done);
      signal.addEventListener('abort', done, { once: true });
      function done(): void {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }

  private fail({ operation, host, serverId }: Act, faults: InjectedFaults): void {
    if (faults.failHosts.includes(host)) throw failure(operation, host, faults.final);
    if (faults.failTimes > 0 && this.options.store.countFault(serverId, `fail_${operation}`) < faults.failTimes)
      throw failure(operation, host, faults.final);
    const chance = this.options.faultsOf(host)[operation] ?? 0;
    if (chance > 0 && this.options.random() < chance) throw failure(operation, host, false);
  }
}

function failure(operation: SimulatedOperation, host: string, final: boolean): DriverError {
  if (operation === 'spawn')
    return new DriverError('driver.spawn', `The hypervisor of ${host} could not start the guest (injected fault).`, {
      retryElsewhere: !final,
    });
  return new DriverError(
    'driver.operation',
    `The hypervisor of ${host} failed to ${operation} the guest (injected fault).`,
  );
}
