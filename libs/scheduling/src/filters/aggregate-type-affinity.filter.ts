import { valuesOfKey } from '../aggregate-metadata';
import { defineFilter } from './filter';

/** Hosts in an aggregate with `instance_type` take the flavors named there only. */
export const aggregateTypeAffinityFilter = defineFilter({
  name: 'AggregateTypeAffinityFilter',
  codes: { 'aggregate.flavor': 'kept for other flavors' },
  check(host, { flavor }, _options, reject) {
    const names = valuesOfKey(host, 'instance_type').flatMap((v) => v.split(',').map((n) => n.trim()));
    if (names.length === 0 || names.includes(flavor.name)) return null;
    return reject('aggregate.flavor', names, flavor.name, `${host.host} is kept for flavors ${names.join(', ')}.`);
  },
});
