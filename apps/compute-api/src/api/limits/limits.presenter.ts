import type { QuotaUsage } from '../../app/quotas/quotas';

/** Absolute limits by the names that this endpoint has for them. Rates are not limited here; the list stays empty. */
export const limitsView = (usage: QuotaUsage): object => ({
  rate: [],
  absolute: {
    maxServerMeta: usage.metadata_items.limit,
    maxImageMeta: usage.metadata_items.limit,
    maxPersonality: usage.injected_files.limit,
    maxPersonalitySize: usage.injected_file_content_bytes.limit,
    maxTotalInstances: usage.instances.limit,
    maxTotalCores: usage.cores.limit,
    maxTotalRAMSize: usage.ram.limit,
    maxTotalKeypairs: usage.key_pairs.limit,
    maxTotalFloatingIps: usage.floating_ips.limit,
    maxSecurityGroups: usage.security_groups.limit,
    maxSecurityGroupRules: usage.security_group_rules.limit,
    maxServerGroups: usage.server_groups.limit,
    maxServerGroupMembers: usage.server_group_members.limit,
    totalInstancesUsed: usage.instances.inUse,
    totalCoresUsed: usage.cores.inUse,
    totalRAMUsed: usage.ram.inUse,
    totalFloatingIpsUsed: usage.floating_ips.inUse,
    totalSecurityGroupsUsed: usage.security_groups.inUse,
    totalServerGroupsUsed: usage.server_groups.inUse,
  },
});
