import { added, defineVersion } from '@fractus/microversions';

export const v2_9 = defineVersion({
  version: '2.9',
  summary: 'A server says whether it is locked.',
  responses: [added('server', 'locked'), added('updated-server', 'locked')],
});
