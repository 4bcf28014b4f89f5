import { defineVersion } from '@fractus/microversions';

export const v1_15 = defineVersion({
  version: '1.15',
  summary: 'Answers carry Last-Modified and Cache-Control.',
  turnsOn: ['lastModified'],
});
