import { failure, success, type UpgradeCheck } from '@fractus/operator';
import { type Cloud, ctx, orFailure, serviceSession } from '../cloud';

/** Placement and the neighbours serve administrators and services. */
const ROLES = ['service', 'admin'];

/** Services act as a user of their own where a user's token may have run out: it must get a token, and have the role. */
export const serviceUserCheck: UpgradeCheck<Cloud> = {
  name: 'Service User',
  run: (cloud) =>
    orFailure('service user', async () => {
      const { roles, userName } = await serviceSession(cloud).self(ctx);
      if (roles.some((r) => ROLES.includes(r.toLowerCase()))) return success();
      return failure(`${userName} has neither the role service nor admin, but ${roles.join(', ') || 'none'}`);
    }),
};
