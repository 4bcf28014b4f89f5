import { defineVersion } from '@fractus/microversions';

export const v1_25 = defineVersion({
  version: '1.25',
  summary: 'Numbered request groups and group_policy.',
});
