import { defineVersion } from '@fractus/microversions';

export const v1_17 = defineVersion({
  version: '1.17',
  summary: 'GET /allocation_candidates takes required; summaries show traits.',
  turnsOn: ['summaryTraits'],
});
