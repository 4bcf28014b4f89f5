import { defineVersion } from '@fractus/microversions';

export const v1_3 = defineVersion({
  version: '1.3',
  summary: 'GET /resource_providers takes member_of.',
});
