import { added, defineVersion } from '@fractus/microversions';

export const v2_84 = defineVersion({
  version: '2.84',
  summary: 'Events of a server’s action carry details for operators.',
  responses: [added('instance-action-event', 'details')],
});
