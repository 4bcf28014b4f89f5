/** Reconcilers: no input, repeatable, each in its own file; a pass runs them one after another. */
import { endedTasks } from './ended-tasks.reconciler';
import { leftGuests } from './left-guests.reconciler';
import { orphanAllocations } from './orphan-allocations.reconciler';
import { orphanPorts } from './orphan-ports.reconciler';
import { quotaAudit } from './quota-audit.reconciler';
import type { MakeReconciler } from './reconciler';
import { serviceState } from './service-state.reconciler';
import { stuckServers } from './stuck-servers.reconciler';

export const RECONCILERS: readonly MakeReconciler[] = [
  serviceState,
  stuckServers,
  orphanAllocations,
  orphanPorts,
  leftGuests,
  quotaAudit,
  endedTasks,
];
