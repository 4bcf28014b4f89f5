import { defineVersion } from '@fractus/microversions';

export const v1_39 = defineVersion({
  version: '1.39',
  summary: 'required takes in:A,B (any of them) and may be repeated.',
  turnsOn: ['anyTraits'],
});
