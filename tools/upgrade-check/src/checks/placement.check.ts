import { failure, microversionAtLeast, success, type UpgradeCheck } from '@fractus/operator';
import { type Cloud, ctx, orFailure, read, sessionOf } from '../cloud';

/** What schedulers ask candidates with. */
const NEEDED = '1.36';

export const placementCheck: UpgradeCheck<Cloud> = {
  name: 'Placement API',
  run: (cloud) =>
    orFailure('placement', async () => {
      const url = cloud.placementEndpoint ?? (await sessionOf(cloud).endpoint(ctx, 'placement'));
      const { versions } = (await read(`${url.replace(/\/+$/, '')}/`)) as { versions?: { max_version?: string }[] };
      const has = versions?.[0]?.max_version;
      if (has === undefined) return failure(`${url} is no Placement API`);
      return microversionAtLeast(has, NEEDED)
        ? success()
        : failure(`Placement at ${url} goes up to ${has}; ${NEEDED} is needed`);
    }),
};
