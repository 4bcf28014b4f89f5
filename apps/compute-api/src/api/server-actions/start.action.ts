import { bodyWithKey, defineServerAction } from './server-action';

export const startAction = defineServerAction({
  key: 'os-start',
  body: bodyWithKey('os-start'),
  success: 202,
  policies: ['os_compute_api:servers:start'],
  request: () => ({ action: 'start' }),
});
