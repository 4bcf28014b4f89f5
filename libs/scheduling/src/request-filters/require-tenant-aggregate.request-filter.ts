import { defineRequestFilter } from './request-filter';

/** Projects with aggregates of their own (`filter_tenant_id…` = project) stay within them. Off by default. */
export const requireTenantAggregate = defineRequestFilter({
  name: 'require_tenant_aggregate',
  codes: { 'tenant.no_aggregate': 'the project has no aggregate of its own' },
  apply({ projectId }, { aggregates }, options, refuse) {
    if (!options.limitTenantsToPlacementAggregate) return null;
    const own = aggregates.filter((a) =>
      Object.entries(a.metadata).some(([k, v]) => k.startsWith('filter_tenant_id') && v === projectId),
    );
    if (own.length > 0) return { constraints: { memberOf: [own.map((a) => a.id)] } };
    if (!options.placementAggregateRequiredForTenants) return null;
    const sentence = 'Every project needs a host aggregate of its own here, and this project has none.';
    return refuse('tenant.no_aggregate', null, projectId, sentence);
  },
});
