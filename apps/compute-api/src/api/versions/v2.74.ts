import { defineVersion } from '@fractus/microversions';

export const v2_74 = defineVersion({
  version: '2.74',
  summary: 'The host of a new server may be asked for by name.',
});
