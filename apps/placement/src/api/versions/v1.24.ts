import { defineVersion } from '@fractus/microversions';

export const v1_24 = defineVersion({
  version: '1.24',
  summary: 'member_of may be repeated.',
  turnsOn: ['repeatedMemberOf'],
});
