import { bodyWithKey, defineServerAction } from './server-action';

export const pauseAction = defineServerAction({
  key: 'pause',
  body: bodyWithKey('pause'),
  success: 202,
  policies: ['os_compute_api:os-pause-server:pause'],
  request: () => ({ action: 'pause' }),
});
