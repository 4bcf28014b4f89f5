import { added, defineVersion } from '@fractus/microversions';

export const v2_71 = defineVersion({
  version: '2.71',
  summary: 'A server shows the group it is in.',
  responses: [added('server', 'server_groups'), added('updated-server', 'server_groups')],
});
