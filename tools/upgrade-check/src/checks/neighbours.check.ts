import { failure, type Outcome, success, together, type UpgradeCheck } from '@fractus/operator';
import { type Cloud, ctx, orFailure, read, sessionOf } from '../cloud';

interface Version {
  readonly id?: string;
}
/** Neighbour → the version of its API that is spoken. */
const NEIGHBOURS = { image: 'v2', network: 'v2' } as const;

/** Identity, and what its catalog names. */
export const neighboursCheck: UpgradeCheck<Cloud> = {
  name: 'Neighbours',
  async run(cloud) {
    const identity = await orFailure('identity', async () => {
      const session = sessionOf(cloud);
      const { version } = (await read(session.identityUrl)) as { version?: Version };
      if (!version?.id?.startsWith('v3')) return failure(`identity at ${session.identityUrl} does not speak v3`);
      await session.token(ctx);
      return success();
    });
    if (identity.verdict === 'failure') return identity;
    const others = Object.entries(NEIGHBOURS).map(([type, version]) => neighbour(cloud, type, version));
    return together([identity, ...(await Promise.all(others))]);
  },
};

function neighbour(cloud: Cloud, type: string, wanted: string): Promise<Outcome> {
  return orFailure(type, async () => {
    const registered = await sessionOf(cloud).endpoint(ctx, type);
    // the document of versions is above the version that an endpoint may name
    const url = `${registered.replace(/\/v\d+(\.\d+)?$/, '')}/`;
    const { versions = [] } = (await read(url)) as { versions?: Version[] };
    const speaks = versions.some((v) => v.id?.split('.')[0] === wanted);
    return speaks ? success() : failure(`${type} at ${url} does not speak ${wanted}`);
  });
}
