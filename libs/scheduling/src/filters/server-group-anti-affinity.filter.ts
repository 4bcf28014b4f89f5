import { defineFilter } from './filter';

/** Group policy `anti-affinity`: at most `max_server_per_host` members on one host. Where a server is, it may stay. */
export const serverGroupAntiAffinityFilter = defineFilter({
  name: 'ServerGroupAntiAffinityFilter',
  codes: { 'group.anti_affinity': 'already full of members of the server group (anti-affinity)' },
  check({ host }, { serverGroup, currentHost }, _options, reject) {
    if (serverGroup?.policy !== 'anti-affinity' || currentHost === host) return null;
    const members = serverGroup.membersByHost[host] ?? 0;
    const most = serverGroup.maxServerPerHost;
    if (members < most) return null;
    const sentence = `${host} holds ${members} of the group's servers; its policy allows ${most} on one host.`;
    return reject('group.anti_affinity', members, most, sentence);
  },
});
