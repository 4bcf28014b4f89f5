/** Keystone v3, beyond tokens: what compute asks about others' records. */
import { isFractusError, type RequestContext } from '@fractus/objects';
import { segment } from './rest';
import type { ServiceSession } from './service-session';

export class IdentityClient {
  constructor(private readonly options: { readonly session: ServiceSession }) {}

  /**
   * Whether there is a project of this id. Asked as the service's own user.
   * @throws forbidden where that user may not look; unavailable or timeout where identity is silent.
   */
  async projectExists(ctx: RequestContext, projectId: string): Promise<boolean> {
    const path = `/projects/${segment(projectId)}`;
    try {
      await this.options.session.request(ctx, { type: 'identity', version: 'v3', method: 'GET', path });
      return true;
    } catch (e) {
      if (isFractusError(e, 'not_found')) return false;
      throw e;
    }
  }
}
