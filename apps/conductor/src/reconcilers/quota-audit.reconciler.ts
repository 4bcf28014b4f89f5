/** Usage must be the sum over live servers. A difference is a defect: it is reported, and repaired. */
import type { QuotaDelta } from '@fractus/compute-db';
import type { ConductorParts } from '../parts';
import type { Reconciler } from './reconciler';

export function quotaAudit({ tools, options }: ConductorParts): Reconciler {
  const drifts = options.metrics?.counter(
    'fractus_quota_drift_total',
    'Usage rows that were not the sum over live servers',
  );
  return {
    name: 'quota-audit',
    async run() {
      if ((await tools.quota.audit()).length === 0) return [];
      const repaired = await tools.quota.repair();
      for (const drift of repaired) tools.logger.error({ drift }, 'quota usage was wrong');
      drifts?.inc(repaired.length);
      return repaired.map(({ projectId, userId, recorded, actual }) => ({
        subject: userId === '' ? `project ${projectId}` : `user ${userId} in project ${projectId}`,
        finding: `Its usage was recorded as ${told(recorded)}; its live servers sum up to ${told(actual)}.`,
        acted: true,
        outcome: 'The record is set to the sum.',
      }));
    },
  };
}

const told = ({ instances, cores, ram }: QuotaDelta): string => `${instances} servers, ${cores} cores, ${ram} MiB`;
