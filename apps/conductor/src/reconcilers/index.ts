/** Reconcilers: no input, repeatable, each in its own file; they run one after another at an interval. */
import type { ConductorParts } from '../parts';
import { endedTasks } from './ended-tasks.reconciler';
import { leftGuests } from './left-guests.reconciler';
import { orphanAllocations } from './orphan-allocations.reconciler';
import { orphanPorts } from './orphan-ports.reconciler';
import { quotaAudit } from './quota-audit.reconciler';
import { serviceState } from './service-state.reconciler';
import { stuckServers } from './stuck-servers.reconciler';

export interface Reconciler {
  readonly name: string;
  /** One pass; returns how much it changed. */
  run(): Promise<number>;
}

export type MakeReconciler = (parts: ConductorParts) => Reconciler;

export const RECONCILERS: readonly MakeReconciler[] = [
  serviceState,
  stuckServers,
  orphanAllocations,
  orphanPorts,
  leftGuests,
  quotaAudit,
  endedTasks,
];

export function startReconcilers(
  parts: ConductorParts,
  makers: readonly MakeReconciler[] = RECONCILERS,
): { close(): Promise<void> } {
  const { config, logger } = parts.options;
  const reconcilers = makers.map((make) => make(parts));
  let running: Promise<void> = Promise.resolve();
  const pass = async (): Promise<void> => {
    for (const { name, run } of reconcilers) {
      try {
        const changed = await run();
        if (changed > 0) logger.info({ reconciler: name, changed }, 'reconciled');
      } catch (err) {
        logger.warn({ err, reconciler: name }, 'reconciler failed; it runs again at the next interval');
      }
    }
  };
  if (config.reconcileSeconds === 0) return { close: async () => undefined };
  const timer = setInterval(() => (running = running.then(pass)), config.reconcileSeconds * 1000);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
