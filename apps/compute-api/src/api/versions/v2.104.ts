import { defineVersion } from '@fractus/microversions';

export const v2_104 = defineVersion({
  version: '2.104',
  summary: 'A server can be pinned to its availability zone, or unpinned, after it was created.',
});
