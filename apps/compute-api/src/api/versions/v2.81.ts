import { defineVersion } from '@fractus/microversions';

export const v2_81 = defineVersion({
  version: '2.81',
  summary: 'Images can be cached on the hosts of an aggregate ahead of need.',
});
