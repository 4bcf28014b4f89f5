import { defineVersion } from '@fractus/microversions';

export const v1_5 = defineVersion({
  version: '1.5',
  summary: 'DELETE /resource_providers/{uuid}/inventories removes all.',
});
