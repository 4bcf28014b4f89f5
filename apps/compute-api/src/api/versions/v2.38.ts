import { defineVersion } from '@fractus/microversions';

export const v2_38 = defineVersion({
  version: '2.38',
  summary: 'A list filtered by a status that does not exist is refused.',
  turnsOn: ['unknownStatusRefused'],
});
