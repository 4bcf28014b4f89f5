import { defineVersion } from '@fractus/microversions';

export const v2_7 = defineVersion({
  version: '2.7',
  summary: 'A project cannot be given access to a public flavor.',
  turnsOn: ['flavors.access_of_public_refused'],
});
