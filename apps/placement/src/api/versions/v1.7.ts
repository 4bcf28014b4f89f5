import { defineVersion } from '@fractus/microversions';

export const v1_7 = defineVersion({
  version: '1.7',
  summary: 'PUT /resource_classes/{name} has no body and creates.',
  turnsOn: ['classPutCreates'],
});
