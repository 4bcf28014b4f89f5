import { added, defineVersion } from '@fractus/microversions';

export const v1_38 = defineVersion({
  version: '1.38',
  summary: 'Consumers have types, and usages are told by type.',
  responses: [added('consumer', 'consumer_type')],
  turnsOn: ['consumerTypes'],
});
