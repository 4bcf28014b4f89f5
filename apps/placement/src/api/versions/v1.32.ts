import { defineVersion } from '@fractus/microversions';

export const v1_32 = defineVersion({
  version: '1.32',
  summary: 'Aggregates may be forbidden: member_of=!uuid.',
  turnsOn: ['forbiddenAggregates'],
});
