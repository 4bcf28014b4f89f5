import { added, defineVersion } from '@fractus/microversions';

export const v1_34 = defineVersion({
  version: '1.34',
  summary: 'Candidates tell which provider satisfies which group.',
  responses: [added('candidate', 'mappings')],
});
