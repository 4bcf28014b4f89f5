import { defineVersion } from '@fractus/microversions';

export const v1_37 = defineVersion({
  version: '1.37',
  summary: 'Providers may be moved to another parent or to the top.',
  turnsOn: ['reparent'],
});
