import { added, defineVersion } from '@fractus/microversions';

export const v2_61 = defineVersion({
  version: '2.61',
  summary: 'A flavor shows its extra specs to those who may list them.',
  responses: [added('flavor', 'extra_specs')],
});
