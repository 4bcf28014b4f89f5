import { added, defineVersion, lift } from '@fractus/microversions';
import { LockBody } from '../server-actions/lock.action';

export const v2_73 = defineVersion({
  version: '2.73',
  summary: 'A lock may have a reason; servers may be filtered by locked.',
  responses: [added('server', 'locked_reason'), added('updated-server', 'locked_reason')],
  requests: [lift(LockBody, () => ({ lock: null }))],
});
