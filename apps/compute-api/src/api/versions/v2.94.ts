import { defineVersion } from '@fractus/microversions';

export const v2_94 = defineVersion({
  version: '2.94',
  summary: 'The host name of a server may be a domain name.',
});
