import { defineVersion } from '@fractus/microversions';

export const v2_66 = defineVersion({
  version: '2.66',
  summary: 'Lists may be bounded by changes-before.',
});
