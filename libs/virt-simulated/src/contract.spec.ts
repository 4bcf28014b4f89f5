import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeDriverContract, type GuestSpec } from '@fractus/virt';
import { NO_LATENCY } from './options';
import { createSimulatedDriver, type SimulatedDriver } from './simulated-driver';

const withMetadata = (spec: GuestSpec, metadata: Record<string, string>): GuestSpec => ({
  ...spec,
  metadata: { ...spec.metadata, ...metadata },
});

describeDriverContract('simulated', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'fractus-virt-'));
  const open = () => createSimulatedDriver({ stateDir, hosts: ['host-1', 'host-2'], latency: NO_LATENCY });
  let current = open();
  return {
    driver: current,
    reopen: async () => {
      await current.close();
      return (current = open());
    },
    crash: async (driver, host, serverId) => (driver as SimulatedDriver).kill(host, serverId),
    effects: async (serverId) => current.ledger({ serverId }).map((e) => e.effect),
    failing: (spec) => withMetadata(spec, { 'sim:fail_spawn': 'always' }),
    hanging: (spec) => withMetadata(spec, { 'sim:hang_spawn': 'alive' }),
    dispose: async () => {
      await current.close();
      rmSync(stateDir, { recursive: true });
    },
  };
});
