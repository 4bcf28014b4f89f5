import { added, defineVersion } from '@fractus/microversions';

export const v1_19 = defineVersion({
  version: '1.19',
  summary: 'Aggregates carry, check and raise the provider generation.',
  responses: [added('aggregates', 'resource_provider_generation')],
  turnsOn: ['aggregateGeneration'],
});
