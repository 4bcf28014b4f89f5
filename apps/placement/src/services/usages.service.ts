import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@fractus/objects';
import type { Provider } from '../domain/provider';
import { PlacementCore } from './placement-core';

/** Name of the type of consumers that were written without one. */
export const UNKNOWN_TYPE = 'unknown';

export interface TypeUsage {
  readonly consumerCount: number;
  readonly resources: ReadonlyMap<string, number>;
}

interface UsageLine {
  consumer_type: string | null;
  resource_class_id: number;
  used: number;
}

@Injectable()
export class UsagesService {
  constructor(private readonly core: PlacementCore) {}

  async ofProvider(_ctx: RequestContext, uuid: string): Promise<Provider> {
    return this.core.get(uuid);
  }

  /** Resource class → units that the project (and user, if given) holds, over all providers. */
  async ofProject(_ctx: RequestContext, projectId: string, userId?: string): Promise<Map<string, number>> {
    await this.core.replica.syncNames();
    const totals = new Map<string, number>();
    for (const line of await this.lines(projectId, userId)) {
      const rc = this.className(line.resource_class_id);
      totals.set(rc, (totals.get(rc) ?? 0) + Number(line.used));
    }
    return totals;
  }

  /** The same by consumer type. `type` narrows to one: `unknown` for those without, `all` for a single sum over all types. */
  async byType(
    _ctx: RequestContext,
    projectId: string,
    userId?: string,
    type?: string,
  ): Promise<Map<string, TypeUsage>> {
    await this.core.replica.syncNames();
    const groups = new Map<string, { consumerCount: number; resources: Map<string, number> }>();
    const groupOf = (own: string | null): string | undefined => {
      const name = own ?? UNKNOWN_TYPE;
      if (type === 'all') return 'all';
      return type === undefined || type === name ? name : undefined;
    };
    for (const line of await this.lines(projectId, userId)) {
      const name = groupOf(line.consumer_type);
      if (name === undefined) continue;
      const group = groups.get(name) ?? { consumerCount: 0, resources: new Map<string, number>() };
      const rc = this.className(line.resource_class_id);
      group.resources.set(rc, (group.resources.get(rc) ?? 0) + Number(line.used));
      groups.set(name, group);
    }
    for (const { consumer_type, n } of await this.counts(projectId, userId)) {
      const group = groups.get(groupOf(consumer_type) ?? '');
      if (group) group.consumerCount += Number(n);
    }
    return groups;
  }

  private lines(projectId: string, userId?: string): Promise<UsageLine[]> {
    return this.core.db.query<UsageLine>(
      `SELECT c.consumer_type, a.resource_class_id, SUM(a.used) AS used FROM allocations a JOIN consumers c ON c.id = a.consumer_id
       WHERE c.project_id = ?${userId === undefined ? '' : ' AND c.user_id = ?'} GROUP BY c.consumer_type, a.resource_class_id`,
      userId === undefined ? [projectId] : [projectId, userId],
    );
  }

  private counts(projectId: string, userId?: string): Promise<{ consumer_type: string | null; n: number }[]> {
    return this.core.db.query(
      `SELECT consumer_type, COUNT(*) AS n FROM consumers WHERE project_id = ?${userId === undefined ? '' : ' AND user_id = ?'} GROUP BY consumer_type`,
      userId === undefined ? [projectId] : [projectId, userId],
    );
  }

  private className(id: number): string {
    return this.core.replica.names.classes.name(Number(id)) ?? String(id);
  }
}
