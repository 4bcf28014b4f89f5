import { defineVersion } from '@fractus/microversions';

export const v1_13 = defineVersion({
  version: '1.13',
  summary: 'POST /allocations writes many consumers at once.',
});
