import { added, defineVersion } from '@fractus/microversions';

export const v2_62 = defineVersion({
  version: '2.62',
  summary: 'Events of a server’s action say on which host, by name to operators.',
  responses: [added('instance-action-event', 'host', 'hostId')],
});
