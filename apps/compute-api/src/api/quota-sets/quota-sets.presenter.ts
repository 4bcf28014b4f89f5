import type { QuotaLimitSet } from '@fractus/compute-db';
import type { QuotaUsage } from '../../app/quotas/quotas';

/** Limits as they are named everywhere; the answer to an update has no id. */
export const quotaSet = (limits: QuotaLimitSet, id?: string): Record<string, unknown> => ({
  ...(id === undefined ? {} : { id }),
  ...limits,
});

/** Limits with what is used. Nothing is ever reserved: a claim is a usage at once. */
export const quotaSetDetail = (usage: QuotaUsage, id: string): Record<string, unknown> => ({
  id,
  ...Object.fromEntries(
    Object.entries(usage).map(([name, { limit, inUse }]) => [name, { limit, in_use: inUse, reserved: 0 }]),
  ),
});
