import {
  COUNTED,
  QUOTA_RESOURCES,
  type KeyPairsRepository,
  type QuotaLimitSet,
  type QuotaLimitsRepository,
  type QuotaResource,
  type QuotaUsagesRepository,
} from '@fractus/compute-db';
import { invalid } from '@fractus/objects';

export interface QuotasDeps {
  readonly limits: QuotaLimitsRepository;
  readonly usages: QuotaUsagesRepository;
  readonly keyPairs: KeyPairsRepository;
}

/** What is allowed and what is taken of each resource; -1 is unlimited. ram in MiB. */
export type QuotaUsage = Readonly<Record<QuotaResource, { readonly limit: number; readonly inUse: number }>>;

/** Whose limits: a project's, or those of a user in it. */
export interface QuotaSubject {
  readonly projectId: string;
  readonly userId?: string;
}

/** Limits and what is used of them. */
export class Quotas {
  constructor(private readonly deps: QuotasDeps) {}

  limits({ projectId, userId }: QuotaSubject): Promise<QuotaLimitSet> {
    return this.deps.limits.of(projectId, userId);
  }

  defaults(): Promise<QuotaLimitSet> {
    return this.deps.limits.defaults();
  }

  ofClass(name: string): Promise<QuotaLimitSet> {
    return this.deps.limits.ofClass(name);
  }

  /** Resources that are not counted (limits of one request, the network's own) show 0 in use. */
  async usage({ projectId, userId }: QuotaSubject): Promise<QuotaUsage> {
    const [limits, counted, keyPairs] = await Promise.all([
      this.deps.limits.of(projectId, userId),
      this.deps.usages.usage(projectId, userId),
      userId === undefined ? 0 : this.deps.keyPairs.count(userId),
    ]);
    const inUse: Partial<Record<QuotaResource, number>> = { ...counted, key_pairs: keyPairs };
    return Object.fromEntries(
      QUOTA_RESOURCES.map((r) => [r, { limit: limits[r], inUse: Math.max(0, inUse[r] ?? 0) }]),
    ) as unknown as QuotaUsage;
  }

  /** `invalid` when a limit is below what is used, or a user's above the project's, unless forced. */
  async set(subject: QuotaSubject, wished: Partial<QuotaLimitSet>, force: boolean): Promise<QuotaLimitSet> {
    if (!force) await this.checkRange(subject, wished);
    await this.deps.limits.set(subject.projectId, subject.userId ?? '', wished);
    return this.limits(subject);
  }

  async setClass(name: string, wished: Partial<QuotaLimitSet>): Promise<QuotaLimitSet> {
    await this.deps.limits.setClass(name, wished);
    return this.ofClass(name);
  }

  reset({ projectId, userId }: QuotaSubject): Promise<void> {
    return this.deps.limits.reset(projectId, userId);
  }

  private async checkRange(subject: QuotaSubject, wished: Partial<QuotaLimitSet>): Promise<void> {
    const used = await this.deps.usages.usage(subject.projectId, subject.userId);
    const most = subject.userId === undefined ? null : await this.limits({ projectId: subject.projectId });
    const endless = (limit: number): number => (limit === -1 ? Infinity : limit);
    for (const [name, limit] of Object.entries(wished) as [QuotaResource, number][]) {
      const counted = COUNTED.find((r) => r === name);
      const least = counted ? used[counted] : 0;
      if (endless(limit) < least)
        throw invalid(
          `Quota limit ${limit} for ${name} must be greater than or equal to already used and reserved ${least}.`,
          { code: 'quota.below_usage', details: { resource: name, limit, used: least } },
        );
      if (most && endless(limit) > endless(most[name]))
        throw invalid(`Quota limit ${limit} for ${name} must be less than or equal to ${most[name]}.`, {
          code: 'quota.above_project',
          details: { resource: name, limit, project: most[name] },
        });
    }
  }
}
