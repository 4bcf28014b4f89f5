import { defineVersion } from '@fractus/microversions';

export const v1_33 = defineVersion({
  version: '1.33',
  summary: 'Request groups may have names.',
  turnsOn: ['namedGroups'],
});
