/** Ports of device owner `compute:*` whose server is gone: released when seen twice, at least `orphanSeconds` apart. */
import { systemContext } from '@fractus/objects';
import type { ConductorParts } from '../parts';
import type { Reconciler } from './reconciler';
import { ownerless } from './owners';
import { SeenTwice } from './seen-twice';

const NAME = 'orphan-ports';

export function orphanPorts({ tools, options, sightings }: ConductorParts): Reconciler {
  const seen = new SeenTwice(NAME, sightings, options.config.orphanSeconds * 1000, tools.clock);
  const ctx = systemContext('req-orphan-ports');
  return {
    name: NAME,
    async run() {
      const devices = (await tools.network.listOwned(ctx)).map((p) => p.deviceId);
      // only servers that this cloud knows to be deleted: a network service may be shared with another cloud
      const known = new Map((await tools.servers.findMany([...new Set(devices)])).map((s) => [s.id, s]));
      const orphans = await ownerless(tools, devices);
      const suspects = orphans.filter((id) => known.has(id));
      const { ripe, notYet } = await seen.judge(new Map(suspects.map((id) => [id, ''])));
      for (const id of ripe) {
        const server = known.get(id);
        if (server) await tools.network.releasePorts(ctx, server);
        tools.logger.warn({ server_id: id }, 'orphan ports released');
      }
      return suspects.map((id) => ({
        subject: `server ${id}`,
        finding: 'It is deleted and still has ports.',
        acted: ripe.includes(id),
        outcome: notYet.get(id) ?? 'They are released.',
      }));
    },
  };
}
