import { defineVersion } from '@fractus/microversions';

export const v1_31 = defineVersion({
  version: '1.31',
  summary: 'GET /allocation_candidates takes in_tree.',
});
