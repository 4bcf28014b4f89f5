import { defineVersion } from '@fractus/microversions';

export const v1_26 = defineVersion({
  version: '1.26',
  summary: 'Inventory may be reserved wholly.',
  turnsOn: ['reservedMayEqualTotal'],
});
