import type { IdentityClient } from '@fractus/clients';
import { invalid, type RequestContext } from '@fractus/objects';
import type { Logger } from '@fractus/telemetry';

export interface ProjectsDeps {
  /** Absent where tokens are not identity's (noauth): then every id is taken for a project. */
  readonly identity?: Pick<IdentityClient, 'projectExists'> | undefined;
  readonly logger: Logger;
}

/** Projects are identity's; compute only checks that an id that it is to remember is one. */
export class Projects {
  constructor(private readonly deps: ProjectsDeps) {}

  /**
   * `invalid` for what identity says is no project. Where it cannot say (it may not be asked, or is silent) the id is
   * believed: an operator's work must not hang on it (upstream api/openstack/identity.py).
   */
  async verify(ctx: RequestContext, projectId: string): Promise<void> {
    const { identity, logger } = this.deps;
    if (!identity || projectId === ctx.projectId) return;
    const exists = await identity.projectExists(ctx, projectId).catch((err: unknown) => {
      logger.warn(
        { err, project_id: projectId, request_id: ctx.requestId },
        'identity could not say if a project exists',
      );
      return true;
    });
    if (!exists) throw invalid(`Project ID ${projectId} is not a valid project.`, { code: 'project.not_found' });
  }
}
