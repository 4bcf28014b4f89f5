import { defineVersion } from '@fractus/microversions';

export const v1_27 = defineVersion({
  version: '1.27',
  summary: 'Summaries show all resource classes.',
  turnsOn: ['summaryAllClasses'],
});
