import { randomUUID } from 'node:crypto';
import type { GuestSpec, Work } from '../driver';

/** A small guest for tests; whatever is given replaces what stands here. */
export function guestSpec(overrides: Partial<GuestSpec> = {}): GuestSpec {
  const serverId = overrides.serverId ?? randomUUID();
  return {
    serverId,
    name: `server-${serverId.slice(0, 8)}`,
    hostname: `server-${serverId.slice(0, 8)}`,
    projectId: 'b7f9d3e0a1c24d5e8f60718293a4b5c6',
    userId: 'c1d2e3f405162738495a6b7c8d9e0f10',
    flavor: {
      flavorId: '1',
      name: 'm1.nano',
      vcpus: 1,
      memoryMb: 64,
      rootGb: 1,
      ephemeralGb: 0,
      swapMb: 0,
      extraSpecs: {},
    },
    image: null,
    nics: [
      {
        portId: randomUUID(),
        networkId: randomUUID(),
        macAddress: 'fa:16:3e:00:00:01',
        fixedIps: [{ ipAddress: '10.0.0.5' }],
        preexisting: false,
      },
    ],
    metadata: {},
    keyName: null,
    publicKey: null,
    userData: null,
    configDrive: false,
    adminPassword: null,
    availabilityZone: null,
    allocations: {},
    ...overrides,
  };
}

/** How a test runs an operation: with a fence, nobody listening, nothing called off. */
export function work(overrides: Partial<Work> = {}): Work {
  return { fence: 1, signal: new AbortController().signal, progress: () => undefined, ...overrides };
}
