import { defineWeigher } from './weigher';

/** Group policy `soft-affinity`: prefers hosts with more members. */
export const serverGroupSoftAffinityWeigher = defineWeigher({
  name: 'ServerGroupSoftAffinityWeigher',
  multiplier: 'soft_affinity',
  what: "members of the server's group",
  weigh: ({ host }, { serverGroup }) =>
    serverGroup?.policy === 'soft-affinity' ? (serverGroup.membersByHost[host] ?? 0) : 0,
});
