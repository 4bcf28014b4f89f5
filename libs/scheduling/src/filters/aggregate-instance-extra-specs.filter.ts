import { metadataOf } from '../aggregate-metadata';
import { meets } from '../extra-spec-operators';
import { defineFilter } from './filter';

const SCOPE = 'aggregate_instance_extra_specs';

/** Extra specs in the scope `aggregate_instance_extra_specs:`, and unscoped ones, must be met by an aggregate of the host. */
export const aggregateInstanceExtraSpecsFilter = defineFilter({
  name: 'AggregateInstanceExtraSpecsFilter',
  codes: {
    'aggregate.extra_spec_missing': 'in no aggregate that has a property the flavor names',
    'aggregate.extra_spec_mismatch': 'in aggregates whose property does not match the flavor',
  },
  check(host, { flavor }, _options, reject) {
    const metadata = metadataOf(host);
    for (const [scoped, requirement] of Object.entries(flavor.extraSpecs)) {
      const colon = scoped.indexOf(':');
      if (colon >= 0 && scoped.slice(0, colon) !== SCOPE) continue;
      const key = scoped.slice(colon + 1);
      const values = [...(metadata.get(key) ?? [])];
      if (values.length === 0) {
        const sentence = `No aggregate of ${host.host} has ${key}; flavor ${flavor.name} wants ${requirement}.`;
        return reject('aggregate.extra_spec_missing', null, `${key} ${requirement}`, sentence);
      }
      if (!values.some((v) => meets(v, requirement))) {
        const sentence = `Aggregates of ${host.host} have ${key} ${values.join(', ')}; flavor ${flavor.name} wants ${requirement}.`;
        return reject('aggregate.extra_spec_mismatch', values, `${key} ${requirement}`, sentence);
      }
    }
    return null;
  },
});
