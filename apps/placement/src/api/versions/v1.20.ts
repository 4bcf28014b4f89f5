import { defineVersion } from '@fractus/microversions';

export const v1_20 = defineVersion({
  version: '1.20',
  summary: 'POST /resource_providers answers with the provider.',
  turnsOn: ['createdProvider'],
});
