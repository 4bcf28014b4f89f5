import { computeOperations } from './compute-operations';
import { DistributedCloud } from './distributed-cloud';
import { isDistributed, type StoryCloud, type StoryCloudOptions } from './story-cloud';
import { TestCloud } from './test-cloud';

/**
 * A cloud for all tests of one file: started before the first, gone after the last. In this process, or with
 * `FRACTUS_E2E=distributed` as separate processes.
 * @returns a function, since the cloud is not there yet while the file is read.
 */
export function useCloud(options: StoryCloudOptions = {}): () => StoryCloud {
  let cloud: StoryCloud | undefined;
  beforeAll(async () => {
    cloud = await (isDistributed() ? DistributedCloud.start(options) : TestCloud.start(options));
  }, 120_000);
  afterAll(() => cloud?.close(), 60_000);
  return () => {
    if (!cloud) throw new Error('the cloud of this file is not running yet');
    return cloud;
  };
}

/**
 * Says which operations of the Compute API a file of stories tells of, at its end: `covers(cloud, ['GET /flavors'])`.
 * The coverage test reads these lists, and each list is held to the truth by a test of its own: every operation on it
 * was served with success in this file.
 */
export function covers(cloud: () => StoryCloud, operations: readonly string[]): void {
  it('covers what it says it covers', () => {
    const known = new Set(computeOperations().map((o) => o.name));
    expect(operations.filter((o) => !known.has(o))).toEqual([]);
    expect(operations.filter((o) => !cloud().served.has(o))).toEqual([]);
  });
}
