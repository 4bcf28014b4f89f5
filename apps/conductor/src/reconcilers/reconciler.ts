import type { ReconcileFinding } from '@fractus/rpc-contracts';
import type { ConductorParts } from '../parts';

export type Finding = Omit<ReconcileFinding, 'reconciler'>;

export interface Reconciler {
  readonly name: string;
  /** One pass; returns what was not as it should be. */
  run(): Promise<Finding[]>;
}

export type MakeReconciler = (parts: ConductorParts) => Reconciler;
