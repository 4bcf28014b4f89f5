import { defineVersion, reshaped } from '@fractus/microversions';
import { withoutLink } from '../provider-links';

export const v1_11 = defineVersion({
  version: '1.11',
  summary: 'Providers link to their allocations.',
  responses: [reshaped('provider', withoutLink('allocations'))],
});
