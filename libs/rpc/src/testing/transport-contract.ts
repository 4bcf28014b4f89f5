import { describeCalls } from './calls.suite';
import { describeCasts } from './casts.suite';
import { describeRouting } from './routing.suite';
import { describeServing } from './serving.suite';
import type { OpenHarness } from './fixture';

/**
 * What every transport must do, as tests: call it in a spec with a function that opens a fresh broker.
 * Nothing in it sleeps; handlers wait at gates that the test opens.
 */
export function describeTransportContract(name: string, open: OpenHarness): void {
  describe(`transport contract: ${name}`, () => {
    describeCalls(open);
    describeCasts(open);
    describeRouting(open);
    describeServing(open);
  });
}
