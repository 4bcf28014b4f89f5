import type { ScheduleAttempt, ScheduleAttemptsRepository, Server, ServersRepository } from '@fractus/compute-db';
import { invalid, type RequestContext } from '@fractus/objects';

export interface ScheduleInfoDeps {
  readonly servers: Pick<ServersRepository, 'get'>;
  readonly attempts: Pick<ScheduleAttemptsRepository, 'page'>;
  isAdmin(ctx: RequestContext): boolean;
}

/** What the scheduler, and the builds that followed, made of a server. */
export class ScheduleInfo {
  constructor(private readonly deps: ScheduleInfoDeps) {}

  /** `not_found` for another project's server unless the asker is an administrator, and for users once it is deleted. */
  server(ctx: RequestContext, id: string): Promise<Server> {
    const admin = this.deps.isAdmin(ctx);
    return this.deps.servers.get(id, admin ? { withDeleted: true } : { projectId: ctx.projectId ?? '' });
  }

  /** Newest first. `invalid` `query.marker` where the marker names none of them. */
  async attempts(server: Server, page: { limit: number; marker?: string }): Promise<ScheduleAttempt[]> {
    if (page.limit === 0) return [];
    const found = await this.deps.attempts.page(server.id, page);
    if (!found)
      throw invalid(`Marker ${(page.marker ?? '').slice(0, 100)} could not be found.`, { code: 'query.marker' });
    return found;
  }
}
