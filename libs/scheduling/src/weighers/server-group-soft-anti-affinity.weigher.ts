import { defineWeigher } from './weigher';

/** Group policy `soft-anti-affinity`: prefers hosts with fewer members. */
export const serverGroupSoftAntiAffinityWeigher = defineWeigher({
  name: 'ServerGroupSoftAntiAffinityWeigher',
  multiplier: 'soft_anti_affinity',
  sign: -1,
  what: "members of the server's group",
  weigh: ({ host }, { serverGroup }) =>
    serverGroup?.policy === 'soft-anti-affinity' ? (serverGroup.membersByHost[host] ?? 0) : 0,
});
