import { bodyWithKey, defineServerAction } from './server-action';

export const stopAction = defineServerAction({
  key: 'os-stop',
  body: bodyWithKey('os-stop'),
  success: 202,
  policies: ['os_compute_api:servers:stop'],
  request: () => ({ action: 'stop' }),
});
