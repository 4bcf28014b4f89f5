import { defineVersion, removed } from '@fractus/microversions';

export const v2_36 = defineVersion({
  version: '2.36',
  summary: 'Proxies of the image, volume and network services are gone, and with them their quotas and limits.',
  responses: [
    removed('quota-set', 'fixed_ips', 'floating_ips', 'security_groups', 'security_group_rules'),
    removed(
      'limits',
      'maxSecurityGroups',
      'maxSecurityGroupRules',
      'maxTotalFloatingIps',
      'totalFloatingIpsUsed',
      'totalSecurityGroupsUsed',
    ),
  ],
});
