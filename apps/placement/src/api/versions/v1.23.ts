import { defineVersion } from '@fractus/microversions';

export const v1_23 = defineVersion({
  version: '1.23',
  summary: 'Errors carry a code.',
  turnsOn: ['errorCodes'],
});
