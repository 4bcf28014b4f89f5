import { defineVersion } from '@fractus/microversions';

export const v2_5 = defineVersion({
  version: '2.5',
  summary: 'Everybody may filter servers by IPv6 address.',
  turnsOn: ['ip6FilterForAll'],
});
