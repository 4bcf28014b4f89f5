import { defineVersion } from '@fractus/microversions';

export const v1_29 = defineVersion({
  version: '1.29',
  summary: 'Candidates may use several providers of one tree; summaries show the tree.',
  turnsOn: ['nestedCandidates'],
});
