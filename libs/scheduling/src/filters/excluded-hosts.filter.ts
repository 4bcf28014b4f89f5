import { defineFilter } from './filter';

/** Hosts that failed earlier in the same task are not tried again. Names compare without case, as upstream's do. */
export const excludedHostsFilter = defineFilter({
  name: 'ExcludedHosts',
  always: true,
  codes: { 'host.already_tried': 'already tried' },
  check({ host }, { excludeHosts }, _options, reject) {
    if (!excludeHosts.some((h) => h.toLowerCase() === host.toLowerCase())) return null;
    return reject('host.already_tried', host, 'a host not tried yet', `${host} was tried before and failed.`);
  },
});
