import { defineVersion, reshaped } from '@fractus/microversions';
import { withoutLink } from '../provider-links';

export const v1_1 = defineVersion({
  version: '1.1',
  summary: 'Providers belong to aggregates: GET and PUT /resource_providers/{uuid}/aggregates.',
  responses: [reshaped('provider', withoutLink('aggregates'))],
});
