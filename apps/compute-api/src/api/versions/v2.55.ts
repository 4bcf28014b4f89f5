import { added, defineVersion } from '@fractus/microversions';

export const v2_55 = defineVersion({
  version: '2.55',
  summary: 'A flavor has a description, which may be changed.',
  responses: [added('flavor', 'description'), added('flavor-brief', 'description')],
});
