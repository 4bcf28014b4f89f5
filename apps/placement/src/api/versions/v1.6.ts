import { defineVersion, reshaped } from '@fractus/microversions';
import { withoutLink } from '../provider-links';

export const v1_6 = defineVersion({
  version: '1.6',
  summary: 'Traits: /traits and /resource_providers/{uuid}/traits.',
  responses: [reshaped('provider', withoutLink('traits'))],
});
