import { added, defineVersion } from '@fractus/microversions';

export const v2_19 = defineVersion({
  version: '2.19',
  summary: 'A server has a description.',
  responses: [added('server', 'description'), added('updated-server', 'description')],
});
