import { Length } from 'class-validator';
import { Closed, InVersions, Nested, Nullable, Optional, Present } from '@fractus/dto-schema';
import { defineServerAction } from './server-action';

@Closed()
class Lock {
  @Optional() @Length(1, 255) locked_reason?: string;
}
/** Before 2.73 the value is anything at all and says nothing; the version list lifts it to null. */
@Closed()
export class LockBody {
  @InVersions('-2.72', Present()) @InVersions('2.73-', Nullable(), Nested(() => Lock)) lock: Lock | null;
}

/**
 * 2.73: with a reason. A lock by the server's project is `owner`'s, any other an administrator's: what an administrator
 * locked, its project does not take over by locking it again.
 */
export const lockAction = defineServerAction<LockBody>({
  key: 'lock',
  body: LockBody,
  success: 202,
  policies: ['os_compute_api:os-lock-server:lock'],
  request: (ctx, { lock }) => ({
    action: 'lock',
    needless: (server) => server.lockedBy !== null && server.projectId === ctx.projectId,
    patch: (server) => ({
      lockedBy: ctx.projectId === server.projectId ? 'owner' : 'admin',
      lockedReason: lock?.locked_reason ?? server.lockedReason,
    }),
  }),
});
