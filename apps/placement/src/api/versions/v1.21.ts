import { defineVersion } from '@fractus/microversions';

export const v1_21 = defineVersion({
  version: '1.21',
  summary: 'GET /allocation_candidates takes member_of.',
});
