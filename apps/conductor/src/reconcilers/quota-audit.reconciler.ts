/** Usage must be the sum over live servers. A difference is a defect: it is reported, and repaired. */
import type { ConductorParts } from '../parts';
import type { Reconciler } from './index';

export function quotaAudit({ tools, options }: ConductorParts): Reconciler {
  const drifts = options.metrics?.counter(
    'fractus_quota_drift_total',
    'Usage rows that were not the sum over live servers',
  );
  return {
    name: 'quota-audit',
    async run() {
      if ((await tools.quota.audit()).length === 0) return 0;
      const repaired = await tools.quota.repair();
      for (const drift of repaired) tools.logger.error({ drift }, 'quota usage was wrong');
      drifts?.inc(repaired.length);
      return repaired.length;
    },
  };
}
