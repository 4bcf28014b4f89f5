import { computeOperations } from './compute-operations';
import { TestCloud, type TestCloudOptions } from './test-cloud';

/**
 * A cloud for all tests of one file: started before the first, gone after the last.
 * @returns a function, since the cloud is not there yet while the file is read.
 */
export function useCloud(options: TestCloudOptions = {}): () => TestCloud {
  let cloud: TestCloud | undefined;
  beforeAll(async () => {
    cloud = await TestCloud.start(options);
  }, 60_000);
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
export function covers(cloud: () => TestCloud, operations: readonly string[]): void {
  it('covers what it says it covers', () => {
    const known = new Set(computeOperations().map((o) => o.name));
    expect(operations.filter((o) => !known.has(o))).toEqual([]);
    expect(operations.filter((o) => !cloud().served.has(o))).toEqual([]);
  });
}
