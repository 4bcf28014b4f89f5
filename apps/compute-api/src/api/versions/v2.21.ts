import { defineVersion } from '@fractus/microversions';

export const v2_21 = defineVersion({
  version: '2.21',
  summary: 'The actions of a deleted server can be read.',
  turnsOn: ['instance_actions.of_deleted'],
});
