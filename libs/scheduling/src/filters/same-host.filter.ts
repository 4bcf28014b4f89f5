import { defineFilter } from './filter';

/** Hint `same_host`: where one of the named servers is. */
export const sameHostFilter = defineFilter({
  name: 'SameHostFilter',
  codes: { 'hint.same_host': 'without any of the servers in hint same_host' },
  check({ host }, { schedulerHints, hintedServers = {} }, _options, reject) {
    const servers = schedulerHints['same_host'] ?? [];
    if (servers.length === 0 || servers.some((s) => hintedServers[s] === host)) return null;
    return reject('hint.same_host', host, servers, `${host} holds none of the servers in hint same_host.`);
  },
});
