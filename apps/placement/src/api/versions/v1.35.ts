import { defineVersion } from '@fractus/microversions';

export const v1_35 = defineVersion({
  version: '1.35',
  summary: 'GET /allocation_candidates takes root_required.',
});
