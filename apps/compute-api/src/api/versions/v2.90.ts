import { defineVersion } from '@fractus/microversions';

export const v2_90 = defineVersion({
  version: '2.90',
  summary: 'The host name of a server may be given.',
  turnsOn: ['hostnameForAll'],
});
