/**
 * What every Placement must do for its callers, however they speak to it: ours over RPC, ours over REST, upstream's.
 * Call it in a spec with a function that opens one; nothing is expected of it but to be there.
 */
import { describeAllocations } from './allocations.cases';
import { describeCandidates } from './candidates.cases';
import { describeProviders } from './providers.cases';
import { PlacementWorld, type OpenPlacement, type PlacementUnderTest } from './world';

export type { OpenPlacement, PlacementUnderTest } from './world';

export function describePlacementCalls(name: string, open: OpenPlacement): void {
  describe(`placement's calls: ${name}`, () => {
    let under: PlacementUnderTest;
    let world: PlacementWorld;
    beforeAll(async () => {
      under = await open();
    }, 120_000);
    beforeEach(() => (world = new PlacementWorld(under)));
    afterAll(() => under?.close());
    describeProviders(() => world);
    describeCandidates(() => world);
    describeAllocations(() => world);
  });
}
