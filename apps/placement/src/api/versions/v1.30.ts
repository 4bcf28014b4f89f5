import { defineVersion } from '@fractus/microversions';

export const v1_30 = defineVersion({
  version: '1.30',
  summary: 'POST /reshaper moves inventory and allocations together.',
});
