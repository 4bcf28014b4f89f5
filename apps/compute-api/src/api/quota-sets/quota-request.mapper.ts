import { QUOTA_RESOURCES, type QuotaLimitSet } from '@fractus/compute-db';
import type { QuotaSubject } from '../../app/quotas/quotas';
import type { QuotaSetQuery } from './quota-sets.dto';

/** Limits that a body sets; what it does not name stays. */
export function limitsOf(values: object): Partial<QuotaLimitSet> {
  const given = values as Record<string, number | string | undefined>;
  return Object.fromEntries(QUOTA_RESOURCES.filter((r) => given[r] !== undefined).map((r) => [r, Number(given[r])]));
}

/** The first user that the query names counts (upstream). */
export function subjectOf(params: Record<string, string>, query: QuotaSetQuery): QuotaSubject {
  const userId = query.user_id?.[0];
  return { projectId: params['id'] ?? '', ...(userId ? { userId } : {}) };
}
