import { added, defineVersion } from '@fractus/microversions';

export const v2_58 = defineVersion({
  version: '2.58',
  summary: 'Actions of a server are listed by pages, by when they changed, and say when they did.',
  responses: [added('instance-action', 'updated_at')],
  turnsOn: ['instance_actions.pages'],
});
