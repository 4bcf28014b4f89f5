import { metadataOf } from '../aggregate-metadata';
import { defineFilter } from './filter';

/** Hosts in an aggregate with `filter_tenant_id…` are for the projects named there; other hosts are for all. */
export const aggregateMultiTenancyIsolation = defineFilter({
  name: 'AggregateMultiTenancyIsolation',
  codes: { 'aggregate.tenant': 'kept for other projects' },
  check(host, { projectId }, _options, reject) {
    const projects = new Set<string>();
    for (const [key, values] of metadataOf(host)) {
      if (key.startsWith('filter_tenant_id')) values.forEach((v) => projects.add(v));
    }
    if (projects.size === 0 || projects.has(projectId)) return null;
    return reject('aggregate.tenant', [...projects], projectId, `${host.host} is kept for other projects.`);
  },
});
