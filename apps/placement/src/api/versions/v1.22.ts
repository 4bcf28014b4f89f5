import { defineVersion } from '@fractus/microversions';

export const v1_22 = defineVersion({
  version: '1.22',
  summary: 'Traits may be forbidden: required=!TRAIT.',
  turnsOn: ['forbiddenTraits'],
});
