import { defineFilter } from './filter';

/** Hint `different_host`: where none of the named servers is. */
export const differentHostFilter = defineFilter({
  name: 'DifferentHostFilter',
  codes: { 'hint.different_host': 'with a server in hint different_host' },
  check({ host }, { schedulerHints, hintedServers = {} }, _options, reject) {
    const here = (schedulerHints['different_host'] ?? []).filter((s) => hintedServers[s] === host);
    if (here.length === 0) return null;
    return reject('hint.different_host', here, 'none of them', `${host} holds a server named in hint different_host.`);
  },
});
