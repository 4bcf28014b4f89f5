import { added, defineVersion, removed } from '@fractus/microversions';

export const v2_50 = defineVersion({
  version: '2.50',
  summary: 'A quota class shows the quotas that its body may set, and no others.',
  responses: [
    added('quota-class-set', 'server_groups', 'server_group_members'),
    removed('quota-class-set', 'fixed_ips', 'floating_ips', 'security_groups', 'security_group_rules'),
  ],
});
