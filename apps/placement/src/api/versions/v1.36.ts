import { defineVersion } from '@fractus/microversions';

export const v1_36 = defineVersion({
  version: '1.36',
  summary: 'GET /allocation_candidates takes same_subtree; groups may have no resources.',
  turnsOn: ['sameSubtree'],
});
