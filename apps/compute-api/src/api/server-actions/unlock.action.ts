import { bodyWithKey, defineServerAction } from './server-action';

export const unlockAction = defineServerAction({
  key: 'unlock',
  body: bodyWithKey('unlock'),
  success: 202,
  policies: ['os_compute_api:os-lock-server:unlock', 'os_compute_api:os-lock-server:unlock:unlock_override'],
  request: () => ({ action: 'unlock', patch: () => ({ lockedBy: null, lockedReason: null }) }),
});
