import { defineFilter } from './filter';

/** Isolated images go to isolated hosts; with the restriction on, nothing else goes there. */
export const isolatedHostsFilter = defineFilter({
  name: 'IsolatedHostsFilter',
  codes: {
    'host.isolated': 'isolated for certain images',
    'host.not_isolated': 'not isolated, as the image demands',
  },
  check({ host }, { image }, options, reject) {
    const hostIsolated = options.isolatedHosts.includes(host);
    const imageIsolated = image !== null && options.isolatedImages.includes(image.imageId);
    if (imageIsolated && !hostIsolated) {
      return reject(
        'host.not_isolated',
        'not isolated',
        'isolated',
        `The image may only run on isolated hosts; ${host} is none.`,
      );
    }
    if (!options.restrictIsolatedHostsToIsolatedImages || imageIsolated || !hostIsolated) return null;
    return reject('host.isolated', 'isolated', 'an isolated image', `${host} is isolated for certain images.`);
  },
});
