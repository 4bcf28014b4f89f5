import { added, defineVersion } from '@fractus/microversions';

export const v1_14 = defineVersion({
  version: '1.14',
  summary: 'Providers form trees; GET /resource_providers takes in_tree.',
  responses: [added('provider', 'parent_provider_uuid', 'root_provider_uuid')],
});
