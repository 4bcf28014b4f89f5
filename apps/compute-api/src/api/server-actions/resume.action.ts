import { bodyWithKey, defineServerAction } from './server-action';

export const resumeAction = defineServerAction({
  key: 'resume',
  body: bodyWithKey('resume'),
  success: 202,
  policies: ['os_compute_api:os-suspend-server:resume'],
  request: () => ({ action: 'resume' }),
});
