import { placeholders } from '@fractus/database';
import { Injectable } from '@nestjs/common';
import { type RequestContext, isFractusError, notFound } from '@fractus/objects';
import { isStandardResourceClass } from '@fractus/os-resource-classes';
import type { ClaimOwner, Consumer, ConsumerWrite } from './allocations.types';
import { PUT_WORDING, UNKNOWN_CLASS, UNKNOWN_PROVIDER, type Wording, claim } from './claim';
import { PlacementCore } from './placement-core';
import { release } from './release';

interface HoldingLine {
  consumer_uuid: string;
  consumer_generation: number;
  project_id: string;
  user_id: string;
  consumer_type: string | null;
  provider_uuid: string;
  provider_generation: number;
  resource_class_id: number;
  used: number;
  updated_at: number;
}

const HOLDINGS = `SELECT c.uuid AS consumer_uuid, c.generation AS consumer_generation, c.project_id, c.user_id, c.consumer_type,
  p.uuid AS provider_uuid, p.generation AS provider_generation, a.resource_class_id, a.used, a.updated_at
  FROM allocations a JOIN consumers c ON c.id = a.consumer_id JOIN resource_providers p ON p.id = a.provider_id`;

/** Who holds what: reads from the database (consumers are not kept in memory), writes as claims. */
@Injectable()
export class AllocationsService {
  constructor(private readonly core: PlacementCore) {}

  /** Undefined when the consumer holds nothing, which is to say does not exist. */
  async ofConsumer(_ctx: RequestContext, uuid: string): Promise<Consumer | undefined> {
    await this.core.replica.syncNames();
    const lines = await this.core.db.query<HoldingLine>(
      `${HOLDINGS} WHERE c.uuid = ? ORDER BY a.provider_id, a.resource_class_id`,
      [uuid],
    );
    return this.consumers(lines)[0];
  }

  /** The consumers that hold something of the provider, with that alone; 404 if there is no such provider. */
  async ofProvider(_ctx: RequestContext, uuid: string): Promise<{ generation: number; consumers: Consumer[] }> {
    const provider = await this.core.get(uuid);
    const lines = await this.core.db.query<HoldingLine>(
      `${HOLDINGS} WHERE a.provider_id = ? ORDER BY a.consumer_id, a.resource_class_id`,
      [provider.id],
    );
    return { generation: provider.generation, consumers: this.consumers(lines) };
  }

  /** A page of consumers in order of uuid, from the one after `marker`. */
  async list(_ctx: RequestContext, limit: number, marker = ''): Promise<Consumer[]> {
    await this.core.replica.syncNames();
    const page = await this.core.db.query<{ uuid: string }>(
      'SELECT uuid FROM consumers WHERE uuid > ? ORDER BY uuid LIMIT ?',
      [marker, limit],
    );
    if (page.length === 0) return [];
    const lines = await this.core.db.query<HoldingLine>(
      `${HOLDINGS} WHERE c.uuid IN (${placeholders(page)}) ORDER BY c.uuid, a.provider_id, a.resource_class_id`,
      page.map((r) => r.uuid),
    );
    return this.consumers(lines);
  }

  /**
   * Replaces what the consumers hold, all or nothing; answers with those that hold something then. 400 unknown provider
   * or class; 409 generation, constraint, capacity, fence.
   */
  async write(
    _ctx: RequestContext,
    writes: readonly ConsumerWrite[],
    told: Wording = PUT_WORDING,
  ): Promise<Consumer[]> {
    const { replica } = this.core;
    // standard classes stay what they are; others may have been renamed, or made and named anew
    if (!replica.hasNames || !onlyStandardClasses(writes)) await replica.syncNames();
    const once = (): Promise<Consumer[]> => this.core.write((unit) => claim(unit, replica, writes, told));
    return once().catch(async (e: unknown) => {
      if (!isFractusError(e) || (e.code !== UNKNOWN_PROVIDER && e.code !== UNKNOWN_CLASS)) throw e;
      // what is in memory may be old: the provider may be new, or made again under another id
      await replica.sync();
      return once();
    });
  }

  /** Removes all that the consumer holds; false when that was nothing. With an owner, later writes of lower fences are refused. */
  async remove(
    _ctx: RequestContext,
    uuid: string,
    options: { owner?: ClaimOwner; generation?: number } = {},
  ): Promise<boolean> {
    return this.core.write((unit) => release(unit, uuid, options));
  }

  /** As `remove`, but 404 when there was nothing. */
  async removeExisting(ctx: RequestContext, uuid: string): Promise<void> {
    if (!(await this.remove(ctx, uuid)))
      throw notFound(`No allocations for consumer '${uuid}'`, { code: 'consumer.unknown' });
  }

  private consumers(lines: readonly HoldingLine[]): Consumer[] {
    const found = new Map<
      string,
      Omit<Consumer, 'allocations'> & {
        allocations: Map<string, { generation: number; resources: Map<string, number> }>;
      }
    >();
    for (const line of lines) {
      let consumer = found.get(line.consumer_uuid);
      if (!consumer) {
        consumer = {
          uuid: line.consumer_uuid,
          generation: Number(line.consumer_generation),
          projectId: line.project_id,
          userId: line.user_id,
          consumerType: line.consumer_type,
          updatedAt: Number(line.updated_at),
          allocations: new Map(),
        };
        found.set(line.consumer_uuid, consumer);
      }
      let at = consumer.allocations.get(line.provider_uuid);
      if (!at)
        consumer.allocations.set(
          line.provider_uuid,
          (at = { generation: Number(line.provider_generation), resources: new Map() }),
        );
      at.resources.set(
        this.core.replica.names.classes.name(Number(line.resource_class_id)) ?? String(line.resource_class_id),
        Number(line.used),
      );
    }
    return [...found.values()];
  }
}

const onlyStandardClasses = (writes: readonly ConsumerWrite[]): boolean =>
  writes.every((write) =>
    [...write.allocations.values()].every((resources) => [...resources.keys()].every(isStandardResourceClass)),
  );
