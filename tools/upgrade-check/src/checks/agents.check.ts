import { COMPUTE_BINARY, HostsRepository, type Service } from '@fractus/compute-db';
import {
  count,
  failure,
  openCompute,
  type Outcome,
  success,
  together,
  type UpgradeCheck,
  warning,
} from '@fractus/operator';
import { isFractusError } from '@fractus/objects';
import type { Cloud } from '../cloud';
import { SERVICE_VERSION } from '../services';

/** Agents report their version when they register; one release back is served, and no more. */
export const agentsCheck: UpgradeCheck<Cloud> = {
  name: 'Oldest Agent',
  async run({ places }) {
    if (places.databases.compute === undefined) return warning('the compute database is not known');
    try {
      const database = await openCompute(places);
      const services = await new HostsRepository(database).services().finally(() => database.close());
      return judgeAgents(services.filter((s) => s.binary === COMPUTE_BINARY));
    } catch (e) {
      if (isFractusError(e, 'unavailable')) return warning(`not looked at: ${e.message}`);
      throw e;
    }
  },
};

/** Too old to be served, a release behind, or of a later one. */
export function judgeAgents(agents: readonly Pick<Service, 'host' | 'version'>[], present = SERVICE_VERSION): Outcome {
  if (agents.length === 0) return success('no agent has registered yet');
  const of = (wanted: (version: number) => boolean): string[] =>
    agents.filter((a) => wanted(a.version)).map((a) => a.host);
  const [old, behind, ahead] = [of((v) => v < present - 1), of((v) => v === present - 1), of((v) => v > present)];
  return together([
    old.length ? failure(`${hosts(old)} too old for this release: upgrade by the releases between`) : success(),
    behind.length ? warning(`${hosts(behind)} of the release before: upgrade them last`) : success(),
    ahead.length ? warning(`${hosts(ahead)} of a later release than this`) : success(),
  ]);
}

const hosts = (names: readonly string[]): string =>
  `${count(names.length, 'agent')} (${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}) ${names.length === 1 ? 'is' : 'are'}`;
