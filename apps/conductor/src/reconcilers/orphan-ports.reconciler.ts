/** Ports of device owner `compute:*` whose server is gone: released when seen twice, at least `orphanSeconds` apart. */
import { systemContext } from '@fractus/objects';
import type { ConductorParts } from '../parts';
import type { Reconciler } from './index';
import { ownerless } from './owners';
import { SeenTwice } from './seen-twice';

export function orphanPorts({ tools, options }: ConductorParts): Reconciler {
  const seen = new SeenTwice(options.config.orphanSeconds * 1000, tools.clock);
  const ctx = systemContext('req-orphan-ports');
  return {
    name: 'orphan-ports',
    async run() {
      const devices = (await tools.network.listOwned(ctx)).map((p) => p.deviceId);
      // only servers that this cloud knows to be deleted: a network service may be shared with another cloud
      const known = new Map((await tools.servers.findMany([...new Set(devices)])).map((s) => [s.id, s]));
      const orphans = await ownerless(tools, devices);
      const ripe = seen.ripe(new Map(orphans.filter((id) => known.has(id)).map((id) => [id, ''])));
      for (const id of ripe) {
        const server = known.get(id);
        if (server) await tools.network.releasePorts(ctx, server);
        tools.logger.warn({ server_id: id }, 'orphan ports released');
      }
      return ripe.length;
    },
  };
}
