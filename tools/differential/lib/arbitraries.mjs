// Hosts, flavors, images and requests for both schedulers: few names and values, so that what is asked often meets what is
// there. Shapes are those of libs/scheduling.
import fc from 'fast-check';

export const HOSTS = ['c1', 'c2', 'c3'];
const IMAGES = ['00000000-0000-4000-8000-0000000000f1', '00000000-0000-4000-8000-0000000000f2'];

/** Some of these, in the order they stand. */
const some = (...values) => fc.subarray(values);
const pick = (...values) => fc.constantFrom(...values);
/** A record in which every member may be missing. */
export const sparse = (members) => fc.record(members, { requiredKeys: [] });

const BASE_HOST = {
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
  vcpusUsed: 2,
  memoryMb: 65536,
  memoryMbUsed: 4096,
  diskGb: 1000,
  diskGbUsed: 100,
  free: { vcpus: 64, memoryMb: 65024, diskGb: 900 },
  runningGuests: 0,
  ioOps: 0,
  failedBuilds: 0,
  freePciDevices: 0,
  cpuInfo: { arch: 'x86_64', model: 'EPYC', features: ['aes', 'avx2'], topology: { sockets: 2, cores: 8 } },
  supportedInstances: [['x86_64', 'kvm', 'hvm']],
  capabilities: {},
};
const BASE_FLAVOR = {
  name: 'm1.small',
  vcpus: 1,
  memoryMb: 2048,
  rootGb: 20,
  ephemeralGb: 0,
  swapMb: 0,
  extraSpecs: {},
};
const BASE_REQUEST = {
  serverId: '00000000-0000-4000-8000-0000000000aa',
  projectId: 'p1',
  flavor: BASE_FLAVOR,
  image: null,
  bootFromVolume: false,
  availabilityZone: null,
  requestedHost: null,
  requestedNode: null,
  schedulerHints: {},
  excludeHosts: [],
};

/** What every case has unless it says otherwise. */
export const BASE = { host: BASE_HOST, request: BASE_REQUEST, options: {} };

/** A host that is `members` and for the rest like any other. */
export const aHost = (members = {}) =>
  fc.record(members).map((over) => ({ ...BASE_HOST, ...over, ...(over.host && { node: over.host }) }));
export const aRequest = (members = {}) => fc.record(members).map((over) => ({ ...BASE_REQUEST, ...over }));
export const aFlavor = (members = {}) => fc.record(members).map((over) => ({ ...BASE_FLAVOR, ...over }));
export const anImage = (properties, diskFormats = ['qcow2']) =>
  fc.record({ imageId: pick(...IMAGES), diskFormat: pick(...diskFormats), properties });
export const isolatedImages = some(...IMAGES);

/** Up to three aggregates with this metadata. */
export const aggregates = (metadata) =>
  fc
    .array(metadata, { maxLength: 3 })
    .map((all) => all.map((m, i) => ({ id: `00000000-0000-4000-8000-00000000000${i}`, name: `a${i}`, metadata: m })));

/** What extra specs ask of a value: plain text, or an operator with operands. */
export const requirement = (...values) => {
  const value = pick(...values);
  const operator = pick(
    '=',
    '==',
    '!=',
    '>=',
    '<=',
    's==',
    's!=',
    's<',
    's<=',
    's>',
    's>=',
    '<in>',
    '<or>',
    '<all-in>',
  );
  return fc.oneof(
    value,
    fc.tuple(operator, value).map(([o, v]) => `${o} ${v}`),
    fc.array(value, { minLength: 1, maxLength: 3 }).map((list) => list.map((v) => `<or> ${v}`).join(' ')),
    fc.array(value, { minLength: 1, maxLength: 3 }).map((list) => `<all-in> ${list.join(' ')}`),
    operator,
  );
};

/** Members of a server group by host; a host in it has one or more, as callers give it. */
export const serverGroup = (...policies) =>
  fc.record({
    groupId: fc.constant('00000000-0000-4000-8000-00000000000a'),
    policy: pick(...policies),
    maxServerPerHost: fc.integer({ min: 1, max: 3 }),
    membersByHost: fc.dictionary(pick(...HOSTS), fc.integer({ min: 1, max: 3 })),
  });
export { pick, some };
