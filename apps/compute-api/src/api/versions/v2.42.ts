import { defineVersion } from '@fractus/microversions';

export const v2_42 = defineVersion({
  version: '2.42',
  summary: 'Networks and block devices may be tagged at create again.',
});
