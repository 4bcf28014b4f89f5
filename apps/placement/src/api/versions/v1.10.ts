import { defineVersion } from '@fractus/microversions';

export const v1_10 = defineVersion({
  version: '1.10',
  summary: 'GET /allocation_candidates.',
});
