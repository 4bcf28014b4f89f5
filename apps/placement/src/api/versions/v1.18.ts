import { defineVersion } from '@fractus/microversions';

export const v1_18 = defineVersion({
  version: '1.18',
  summary: 'GET /resource_providers takes required.',
});
