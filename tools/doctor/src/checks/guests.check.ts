/**
 * Guests that hosts report, counted against the servers that live there. A host with an operation under way is left
 * out: its count is in motion.
 */
import { HostsRepository } from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import { count } from '@fractus/operator';
import type { Check, Finding } from './check';
import { allNodes } from './hosts.check';

export const guestsCheck: Check = {
  name: 'guests',
  async run(patient) {
    const database = await patient.compute();
    const nodes = await allNodes(new HostsRepository(database));
    const { servers, busy } = await serversByNode(database);
    const still = nodes.filter((node) => !busy.has(node.host));
    const findings = still.flatMap(({ nodeId, host, runningGuests }): Finding[] => {
      const here = servers.get(nodeId) ?? { all: 0, running: 0 };
      if (runningGuests > here.all)
        return [
          {
            text: `host ${host} reports ${count(runningGuests, 'guest')}, but ${here.all === 1 ? '1 server lives' : `${here.all} servers live`} there`,
            hint: 'the conductors\' logs name them when the agent starts ("a guest without a server is left alone"); then npm run doctor -- destroy-guest',
          },
        ];
      if (runningGuests < here.running)
        return [
          {
            text: `host ${host} reports ${count(runningGuests, 'guest')}, but ${count(here.running, 'server')} should run there`,
            hint: 'the guests of some are gone: delete those servers',
          },
        ];
      return [];
    });
    return { looked: `${count(still.length, 'host')} at rest, with as many guests as servers`, findings };
  },
};

interface OnNode {
  readonly all: number;
  readonly running: number;
}

async function serversByNode(database: Database): Promise<{ servers: Map<string, OnNode>; busy: Set<string> }> {
  const rows = await database.query<{ node_id: string; n: number; running: number }>(
    `SELECT node_id, COUNT(*) AS n, SUM(CASE WHEN power_state = 1 THEN 1 ELSE 0 END) AS running
     FROM servers WHERE deleted = 0 AND node_id IS NOT NULL GROUP BY node_id`,
  );
  const open = await database.query<{ host: string | null; awaits_host: string | null }>(
    "SELECT s.host, t.awaits_host FROM tasks t JOIN servers s ON s.uuid = t.server_uuid WHERE t.status = 'open'",
  );
  return {
    servers: new Map(rows.map((r) => [r.node_id, { all: Number(r.n), running: Number(r.running) }])),
    busy: new Set(open.flatMap((r) => [r.host, r.awaits_host]).filter((h) => h !== null)),
  };
}
