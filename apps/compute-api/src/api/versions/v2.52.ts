import { defineVersion } from '@fractus/microversions';

export const v2_52 = defineVersion({
  version: '2.52',
  summary: 'A server may be given tags at create.',
});
