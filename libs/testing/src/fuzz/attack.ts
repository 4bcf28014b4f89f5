import fc from 'fast-check';
import { RawClient, type RawRequest } from './requests';

export interface Attack {
  readonly origin: string;
  readonly requests: fc.Arbitrary<RawRequest>;
  /** Milliseconds after which no more requests are sent. */
  readonly forMs: number;
  readonly seed: number;
}

/** How many answers there were of each status. */
export type Tally = Record<number, number>;

/** Answers that a client's input may get: anything but a failure of the server's own. */
const isFault = (status: number): boolean => status >= 500;

/**
 * Sends requests, several at a time, until the time is over. Fails at the first that gets a 5xx or no answer, with the
 * request that did it; the seed repeats the run.
 */
export async function attack({ origin, requests, forMs, seed }: Attack): Promise<Tally> {
  const client = new RawClient(origin);
  const tally: Tally = {};
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(requests, { minLength: 8, maxLength: 8 }), async (batch) => {
        await Promise.all(
          batch.map(async (r) => {
            const { status, body } = await client.send(r);
            tally[status] = (tally[status] ?? 0) + 1;
            if (!isFault(status)) return;
            const version = r.headers['openstack-api-version'] ?? '';
            throw new Error(
              `${status} for ${r.method} ${r.path.slice(0, 500)} (${version})\n${r.body?.toString('utf8').slice(0, 1500) ?? ''}\n→ ${body.slice(0, 500)}`,
            );
          }),
        );
      }),
      { seed, numRuns: 1_000_000, interruptAfterTimeLimit: forMs, markInterruptAsFailure: false, endOnFailure: true },
    );
  } catch (e) {
    // the property's own report prints the whole batch, which nobody can read
    const told = ((e as Error).cause as Error | undefined) ?? (e as Error);
    throw new Error(`seed ${seed}, after ${JSON.stringify(tally)}: ${told.message}`);
  } finally {
    client.close();
  }
  return tally;
}
