import { defineFilter } from './filter';

/** Group policy `affinity`: where members are, there the next one goes; anywhere while the group is empty. */
export const serverGroupAffinityFilter = defineFilter({
  name: 'ServerGroupAffinityFilter',
  codes: { 'group.affinity': 'without a member of the server group (affinity)' },
  check({ host }, { serverGroup }, _options, reject) {
    if (serverGroup?.policy !== 'affinity') return null;
    const hosts = Object.keys(serverGroup.membersByHost);
    if (hosts.length === 0 || hosts.includes(host)) return null;
    return reject('group.affinity', host, hosts, `${host} holds no member of the group, whose policy is affinity.`);
  },
});
