import { defineVersion } from '@fractus/microversions';

export const v1_16 = defineVersion({
  version: '1.16',
  summary: 'GET /allocation_candidates takes limit.',
});
