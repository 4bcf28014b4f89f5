import { added, defineVersion } from '@fractus/microversions';

export const v2_41 = defineVersion({
  version: '2.41',
  summary: 'An aggregate shows its uuid.',
  responses: [added('aggregate', 'uuid')],
});
