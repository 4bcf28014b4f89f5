import { added, defineVersion } from '@fractus/microversions';

export const v2_2 = defineVersion({
  version: '2.2',
  summary: 'A key pair has a type; creating one answers 201, deleting one 204.',
  responses: [added('keypair', 'type')],
});
