import { defineVersion } from '@fractus/microversions';

export const v1_2 = defineVersion({
  version: '1.2',
  summary: 'Custom resource classes: /resource_classes.',
});
