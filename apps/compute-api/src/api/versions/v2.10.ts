import { defineVersion } from '@fractus/microversions';

export const v2_10 = defineVersion({
  version: '2.10',
  summary: 'Operators may work with key pairs of other users.',
});
