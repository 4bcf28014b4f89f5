import { defineWeigher } from './weigher';

/** Group policy `soft-anti-affinity`: prefers hosts with fewer members, each of which counts as −1. */
export const serverGroupSoftAntiAffinityWeigher = defineWeigher({
  name: 'ServerGroupSoftAntiAffinityWeigher',
  multiplier: 'soft_anti_affinity',
  what: "members of the server's group, fewer being better",
  weigh: ({ host }, { serverGroup }) =>
    serverGroup?.policy === 'soft-anti-affinity' ? 0 - (serverGroup.membersByHost[host] ?? 0) : 0,
});
