import { added, defineVersion } from '@fractus/microversions';

export const v2_96 = defineVersion({
  version: '2.96',
  summary: 'A server shows the availability zone it is pinned to.',
  responses: [added('server', 'pinned_availability_zone'), added('updated-server', 'pinned_availability_zone')],
});
