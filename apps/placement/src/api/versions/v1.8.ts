import { defineVersion } from '@fractus/microversions';

export const v1_8 = defineVersion({
  version: '1.8',
  summary: 'PUT /allocations/{consumer} needs project_id and user_id.',
});
