import { bodyWithKey, defineServerAction } from './server-action';

export const suspendAction = defineServerAction({
  key: 'suspend',
  body: bodyWithKey('suspend'),
  success: 202,
  policies: ['os_compute_api:os-suspend-server:suspend'],
  request: () => ({ action: 'suspend' }),
});
