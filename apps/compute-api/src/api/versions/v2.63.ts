import { added, defineVersion } from '@fractus/microversions';

export const v2_63 = defineVersion({
  version: '2.63',
  summary: 'Certificates that an image must be signed by may be named at create.',
  responses: [added('server', 'trusted_image_certificates'), added('updated-server', 'trusted_image_certificates')],
});
