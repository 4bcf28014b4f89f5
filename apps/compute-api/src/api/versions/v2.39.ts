import { defineVersion, removed } from '@fractus/microversions';

export const v2_39 = defineVersion({
  version: '2.39',
  summary: 'The proxy of image metadata is gone, and its limit.',
  responses: [removed('limits', 'maxImageMeta')],
});
