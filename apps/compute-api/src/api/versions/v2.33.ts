import { defineVersion } from '@fractus/microversions';

export const v2_33 = defineVersion({
  version: '2.33',
  summary: 'Hypervisors are listed by pages.',
  turnsOn: ['hypervisors.pages'],
});
