import { defineVersion } from '@fractus/microversions';

export const v2_35 = defineVersion({
  version: '2.35',
  summary: 'The list of key pairs is paged.',
  turnsOn: ['key_pairs.pages'],
});
