import { PlacementConfig, PLACEMENT_SCHEMA, startPlacement } from '@fractus/app-placement';
import { PlacementClient } from '@fractus/clients';
import { loadConfig } from '@fractus/config';
import { openTestSqlite } from '@fractus/database/testing';
import { createInProcessTransport, rpcClient } from '@fractus/rpc';
import { placementContract } from '@fractus/rpc-contracts';
import { createMetrics, silentLogger } from '@fractus/telemetry';
import { noUpstreamPlacement, startUpstreamPlacement } from '../src/upstream-placement';
import { describePlacementCalls, type PlacementUnderTest } from './placement-calls';

/** Ours, on a port and a transport of its own, without identity. */
async function ours() {
  const database = await openTestSqlite(PLACEMENT_SCHEMA);
  const transport = createInProcessTransport();
  const config = loadConfig(PlacementConfig, { overrides: { port: 0, auth: { strategy: 'noauth2' } } });
  const logger = silentLogger();
  const service = await startPlacement({ config, database, transport, logger, metrics: createMetrics() });
  const close = async (): Promise<void> => {
    await service.close();
    await transport.close();
    await database.close();
  };
  return { url: service.url ?? '', transport, close };
}

/** Over REST, with the fences that the suite gives out. */
async function overRest(
  url: string,
  { explains, width }: { explains: boolean; width?: number },
  close: () => Promise<void>,
): Promise<PlacementUnderTest> {
  const fences = new Map<string, number>();
  const calls = await new PlacementClient({
    endpoint: url,
    token: 'admin',
    width,
    fenceOf: async (consumerId) => fences.get(consumerId) ?? 0,
  }).open();
  return { calls, leased: (consumerId, fence) => void fences.set(consumerId, fence), explains, close };
}

describePlacementCalls('ours over RPC', async () => {
  const { transport, close } = await ours();
  // it keeps fences itself, of the claims that it has seen
  return { calls: rpcClient(transport, placementContract), leased: () => undefined, explains: true, close };
});

describePlacementCalls('ours over REST', async () => {
  const { url, close } = await ours();
  return overRest(url, { explains: true }, close);
});

const missing = noUpstreamPlacement();
if (missing === null) {
  describePlacementCalls("upstream's over REST", async () => {
    const { url, close } = await startUpstreamPlacement();
    // on the SQLite that it is served from, writes at the same time fail
    return overRest(url, { explains: false, width: 1 }, close);
  });
} else it.skip(`upstream's Placement over REST (${missing})`, () => undefined);
