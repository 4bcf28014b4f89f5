/**
 * Allocations whose consumer is no live server. Removed when seen twice, at least `orphanSeconds` apart, with the same
 * consumer generation, by a delete that names that generation: whoever writes meanwhile wins.
 *
 * Only consumers of type INSTANCE, and those that are known as deleted servers: whatever else is claimed in Placement
 * (migrations, other services, people) has owners of its own.
 */
import { isFractusError, systemContext } from '@fractus/objects';
import type { ConsumerRecord } from '@fractus/rpc-contracts';
import type { ConductorParts } from '../parts';
import type { Reconciler } from './reconciler';
import { ownerless } from './owners';
import { SeenTwice } from './seen-twice';

const PAGE = 500;

const NAME = 'orphan-allocations';

export function orphanAllocations({ tools, options, sightings }: ConductorParts): Reconciler {
  const seen = new SeenTwice(NAME, sightings, options.config.orphanSeconds * 1000, tools.clock);
  const ctx = systemContext('req-orphan-allocations');
  return {
    name: NAME,
    async run() {
      const suspects = new Map<string, string>();
      for await (const page of consumers()) {
        const ours = page.filter(holdsSomething);
        const ids = ours.map((c) => c.consumerId);
        const orphans = new Set(await ownerless(tools, ids));
        const known = new Set((await tools.servers.findMany([...orphans])).map((server) => server.id));
        for (const c of ours) {
          if (!orphans.has(c.consumerId) || !(known.has(c.consumerId) || c.consumerType === 'INSTANCE')) continue;
          suspects.set(c.consumerId, String(c.consumerGeneration));
        }
      }
      const { ripe, notYet } = await seen.judge(suspects);
      const removed = new Set<string>();
      for (const id of ripe) if (await remove(id, Number(suspects.get(id)))) removed.add(id);
      return [...suspects.keys()].map((id) => ({
        subject: `consumer ${id}`,
        finding: 'It holds allocations, and no live server owns them.',
        acted: removed.has(id),
        outcome: removed.has(id)
          ? 'They are removed.'
          : (notYet.get(id) ?? 'Somebody has written them meanwhile: they are left alone.'),
      }));
    },
  };

  async function* consumers(): AsyncGenerator<ConsumerRecord[]> {
    let marker: string | undefined;
    for (;;) {
      const page = (
        await tools.placement.listConsumers(ctx, { limit: PAGE, ...(marker === undefined ? {} : { marker }) })
      ).consumers;
      yield page;
      marker = page.at(-1)?.consumerId;
      if (page.length < PAGE) return;
    }
  }

  async function remove(consumerId: string, consumerGeneration: number): Promise<boolean> {
    try {
      await tools.placement.deleteAllocations(ctx, { consumerId, consumerGeneration });
      tools.logger.warn({ consumer_id: consumerId }, 'orphan allocations removed');
      return true;
    } catch (e) {
      if (isFractusError(e, 'conflict', 'not_found')) return false;
      throw e;
    }
  }
}

const holdsSomething = (c: ConsumerRecord): boolean =>
  c.consumerGeneration !== null && Object.keys(c.allocations).length > 0;
