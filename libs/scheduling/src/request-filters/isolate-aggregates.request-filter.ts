import { buildResourceRequest } from '../resource-request';
import type { ScheduleRequest } from '../types';
import { defineRequestFilter } from './request-filter';

/**
 * Aggregates with `trait:X = required` are for requests that require X: in the flavor or a port (any group), in the
 * image, or by a feature that needs it (a virtual TPM, secure boot); others keep out. Off by default.
 */
export const isolateAggregates = defineRequestFilter({
  name: 'isolate_aggregates',
  apply(request, { aggregates }, { enableIsolatedAggregateFiltering }) {
    if (!enableIsolatedAggregateFiltering) return null;
    const required = requiredTraits(request);
    const closed = aggregates.filter((a) =>
      Object.entries(a.metadata).some(
        ([key, value]) => key.startsWith('trait:') && value === 'required' && !required.has(key.slice('trait:'.length)),
      ),
    );
    return closed.length === 0 ? null : { constraints: { notMemberOf: closed.map((a) => a.id) } };
  },
});

function requiredTraits(request: ScheduleRequest): Set<string> {
  const built = buildResourceRequest(request);
  return new Set(built.ok ? built.query.groups.flatMap((g) => g.required) : []);
}
