import { defineVersion } from '@fractus/microversions';

export const v2_86 = defineVersion({
  version: '2.86',
  summary: 'Extra specs of known namespaces are checked for what they mean.',
  turnsOn: ['flavors.extra_specs_checked'],
});
