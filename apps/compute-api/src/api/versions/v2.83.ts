import { defineVersion } from '@fractus/microversions';

export const v2_83 = defineVersion({
  version: '2.83',
  summary: 'Everybody may filter servers by more of what they see.',
  turnsOn: ['moreFiltersForAll'],
});
