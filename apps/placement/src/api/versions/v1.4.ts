import { defineVersion } from '@fractus/microversions';

export const v1_4 = defineVersion({
  version: '1.4',
  summary: 'GET /resource_providers takes resources.',
});
