import { imageTraits } from '../flavor-and-image';
import { defineRequestFilter } from './request-filter';

/**
 * Aggregates with `trait:X = required` are for requests that require X, in the flavor (any group) or the image; others
 * keep out. Off by default.
 */
export const isolateAggregates = defineRequestFilter({
  name: 'isolate_aggregates',
  apply(request, { aggregates }, { enableIsolatedAggregateFiltering }) {
    if (!enableIsolatedAggregateFiltering) return null;
    const required = new Set(imageTraits(request));
    for (const [key, value] of Object.entries(request.flavor.extraSpecs)) {
      const trait = /^trait[a-zA-Z0-9_-]{0,64}:(.+)$/.exec(key)?.[1];
      if (trait && value === 'required') required.add(trait);
    }
    const closed = aggregates.filter((a) =>
      Object.entries(a.metadata).some(
        ([key, value]) => key.startsWith('trait:') && value === 'required' && !required.has(key.slice('trait:'.length)),
      ),
    );
    return closed.length === 0 ? null : { constraints: { notMemberOf: closed.map((a) => a.id) } };
  },
});
