import { defineRequestFilter } from './request-filter';

/** A zone becomes "in one of the zone's aggregates". The default zone has none: the zone check on hosts holds it. */
export const mapAzToPlacementAggregate = defineRequestFilter({
  name: 'map_az_to_placement_aggregate',
  apply({ availabilityZone }, { aggregates }) {
    if (availabilityZone === null) return null;
    const zone = aggregates.filter((a) => a.metadata['availability_zone'] === availabilityZone);
    return zone.length === 0 ? null : { constraints: { memberOf: [zone.map((a) => a.id)] } };
  },
});
