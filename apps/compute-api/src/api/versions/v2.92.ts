import { defineVersion } from '@fractus/microversions';

export const v2_92 = defineVersion({
  version: '2.92',
  summary: 'Key pairs are no longer generated, only imported; their names may hold `@` and dots.',
});
