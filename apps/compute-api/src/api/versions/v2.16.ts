import { added, defineVersion } from '@fractus/microversions';

export const v2_16 = defineVersion({
  version: '2.16',
  summary: 'A server shows the state of its host to those who may know it.',
  responses: [added('server', 'host_status')],
});
