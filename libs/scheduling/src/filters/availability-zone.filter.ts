import { defineFilter } from './filter';

/**
 * A zone that was asked for is the zone that is given. Placement has narrowed the hosts to the zone's aggregates
 * already; this also holds for the default zone, which has no aggregate, and for hosts moved a moment ago.
 */
export const availabilityZoneFilter = defineFilter({
  name: 'AvailabilityZone',
  always: true,
  codes: { 'zone.other': 'in another availability zone' },
  check({ host, availabilityZone: zone }, { availabilityZone: wanted }, _options, reject) {
    if (wanted === null || wanted === zone) return null;
    return reject('zone.other', zone, wanted, `${host} is in availability zone ${zone}, not ${wanted}.`);
  },
});
