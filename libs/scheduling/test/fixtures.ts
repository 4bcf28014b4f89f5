import type { CloudFacts, HostView, ScheduleRequest } from '../src';

export function aHost(over: Partial<HostView> = {}): HostView {
  return {
    host: 'c1',
    node: 'c1',
    nodeId: '00000000-0000-4000-8000-000000000001',
    service: { up: true, disabled: false, disabledReason: null, forcedDown: false, silentSeconds: 1 },
    availabilityZone: 'nova',
    aggregates: [],
    hypervisorType: 'QEMU',
    hypervisorVersion: 8002001,
    hostIp: '192.0.2.10',
    vcpus: 16,
    vcpusUsed: 0,
    memoryMb: 65536,
    memoryMbUsed: 0,
    diskGb: 1000,
    diskGbUsed: 0,
    free: { vcpus: 64, memoryMb: 65024, diskGb: 1000 },
    runningGuests: 0,
    ioOps: 0,
    failedBuilds: 0,
    freePciDevices: 0,
    cpuInfo: { arch: 'x86_64', features: ['aes', 'avx2'], maxphysaddr: { bits: 40 } },
    supportedInstances: [['x86_64', 'kvm', 'hvm']],
    capabilities: { supports_multiattach: false },
    ...over,
  };
}

/** Fits `aHost()` under every filter. */
export function aRequest(over: Partial<ScheduleRequest> = {}): ScheduleRequest {
  return {
    serverId: '00000000-0000-4000-8000-0000000000aa',
    projectId: 'p1',
    flavor: aFlavor(),
    image: null,
    bootFromVolume: false,
    availabilityZone: null,
    requestedHost: null,
    requestedNode: null,
    schedulerHints: {},
    excludeHosts: [],
    ...over,
  };
}

export const aFlavor = (over: Partial<ScheduleRequest['flavor']> = {}): ScheduleRequest['flavor'] => ({
  name: 'm1.small',
  vcpus: 1,
  memoryMb: 2048,
  rootGb: 20,
  ephemeralGb: 0,
  swapMb: 0,
  extraSpecs: {},
  ...over,
});

export const anImage = (properties: Record<string, string>, diskFormat = 'qcow2'): ScheduleRequest['image'] => ({
  imageId: '00000000-0000-4000-8000-0000000000ff',
  diskFormat,
  properties,
});

export const someFacts = (over: Partial<CloudFacts> = {}): CloudFacts => ({
  hosts: [aHost()],
  aggregates: [],
  everyHostOwned: false,
  ...over,
});

export const anAggregate = (metadata: Record<string, string>, id = '00000000-0000-4000-8000-0000000000a1') => ({
  id,
  name: 'a1',
  metadata,
});

export const withSpecs = (extraSpecs: Record<string, string>): Partial<ScheduleRequest> => ({
  flavor: aFlavor({ extraSpecs }),
});
