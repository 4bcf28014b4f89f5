import { added, defineVersion } from '@fractus/microversions';

export const v2_100 = defineVersion({
  version: '2.100',
  summary: 'A server shows the scheduler hints it was created with.',
  responses: [added('server', 'scheduler_hints'), added('updated-server', 'scheduler_hints')],
  turnsOn: ['schedulerHintsShown'],
});
