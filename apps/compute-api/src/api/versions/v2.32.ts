import { defineVersion } from '@fractus/microversions';

export const v2_32 = defineVersion({
  version: '2.32',
  summary: 'Networks and block devices may be tagged at create.',
});
