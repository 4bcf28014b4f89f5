import type {
  ActionQuery,
  InstanceAction,
  InstanceActionEvent,
  InstanceActionsRepository,
  Server,
  ServersRepository,
} from '@fractus/compute-db';
import { invalid, notFound, type RequestContext } from '@fractus/objects';

export interface InstanceActionsDeps {
  readonly servers: Pick<ServersRepository, 'get'>;
  readonly actions: Pick<InstanceActionsRepository, 'list' | 'get' | 'events'>;
  readonly isAdmin: (ctx: RequestContext) => boolean;
}

/** What was asked of a server, and what came of it. */
export class InstanceActions {
  constructor(private readonly deps: InstanceActionsDeps) {}

  /** The server whose actions are asked for: another project's is `not_found` unless the asker is an administrator. */
  server(ctx: RequestContext, id: string, withDeleted: boolean): Promise<Server> {
    const own = this.deps.isAdmin(ctx) ? {} : { projectId: ctx.projectId ?? '' };
    return this.deps.servers.get(id, { withDeleted, ...own });
  }

  /** Newest first. `invalid` when the marker is unknown or the bounds exclude each other. */
  async list(server: Server, query: ActionQuery = {}): Promise<InstanceAction[]> {
    const { changesSince, changesBefore, marker, limit } = query;
    if (changesSince !== undefined && changesBefore !== undefined && changesBefore < changesSince) {
      throw invalid('The value of changes-since must be less than or equal to changes-before.', {
        code: 'query.changes-since',
      });
    }
    if (limit === 0) return [];
    const found = await this.deps.actions.list(server.id, query);
    if (!found) throw invalid(`Marker ${marker ?? ''} could not be found.`, { code: 'query.marker' });
    return found;
  }

  async get(server: Server, requestId: string): Promise<InstanceAction> {
    const action = await this.deps.actions.get(server.id, requestId);
    if (!action) throw notFound(`Action ${requestId} not found`, { code: 'instance_action.not_found' });
    return action;
  }

  async events(action: InstanceAction): Promise<readonly InstanceActionEvent[]> {
    return (await this.deps.actions.events([action.rowId])).get(action.rowId) ?? [];
  }
}
