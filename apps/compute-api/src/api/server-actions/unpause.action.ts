import { bodyWithKey, defineServerAction } from './server-action';

export const unpauseAction = defineServerAction({
  key: 'unpause',
  body: bodyWithKey('unpause'),
  success: 202,
  policies: ['os_compute_api:os-pause-server:unpause'],
  request: () => ({ action: 'unpause' }),
});
