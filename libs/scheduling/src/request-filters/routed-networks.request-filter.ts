import { defineRequestFilter } from './request-filter';

/**
 * Hosts that reach a segment of every network asked for: one list of aggregates a network interface. Off by default. A
 * network without segments gives an empty list and no constraint.
 */
export const routedNetworksFilter = defineRequestFilter({
  name: 'routed_networks_filter',
  apply({ networkAggregates = [] }, _facts, { queryPlacementForRoutedNetworkAggregates }) {
    const lists = networkAggregates.filter((list) => list.length > 0);
    return queryPlacementForRoutedNetworkAggregates && lists.length > 0 ? { constraints: { memberOf: lists } } : null;
  },
});
