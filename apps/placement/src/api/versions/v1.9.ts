import { defineVersion } from '@fractus/microversions';

export const v1_9 = defineVersion({
  version: '1.9',
  summary: 'GET /usages tells what a project uses.',
});
