import { added, defineVersion } from '@fractus/microversions';

export const v1_28 = defineVersion({
  version: '1.28',
  summary: 'Consumers have generations; an empty allocation removes.',
  responses: [added('consumer', 'consumer_generation')],
  turnsOn: ['consumerGeneration'],
});
