import { added, defineVersion } from '@fractus/microversions';

export const v2_11 = defineVersion({
  version: '2.11',
  summary: 'A service can be forced down.',
  responses: [added('service', 'forced_down')],
  turnsOn: ['services.force_down'],
});
