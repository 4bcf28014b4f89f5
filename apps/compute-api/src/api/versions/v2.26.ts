import { added, defineVersion } from '@fractus/microversions';

export const v2_26 = defineVersion({
  version: '2.26',
  summary: 'Servers have tags.',
  responses: [added('server', 'tags'), added('updated-server', 'tags')],
});
