import { defineVersion } from '@fractus/microversions';

export const v2_51 = defineVersion({
  version: '2.51',
  summary: 'Whoever may see a server sees the events of its actions, without tracebacks.',
  turnsOn: ['instance_actions.owner_events'],
});
