import { defineVersion, removed } from '@fractus/microversions';

export const v2_102 = defineVersion({
  version: '2.102',
  summary:
    'Flavors can be filtered by name, lose `rxtx_factor` and `disabled`; every query refuses unknown parameters.',
  responses: [removed('flavor', 'rxtx_factor', 'OS-FLV-DISABLED:disabled')],
});
