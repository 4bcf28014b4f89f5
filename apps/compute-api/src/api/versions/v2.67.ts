import { defineVersion } from '@fractus/microversions';

export const v2_67 = defineVersion({
  version: '2.67',
  summary: 'The type of a volume that is made at create may be named.',
});
