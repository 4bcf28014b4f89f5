/** What a simulated hypervisor shows of itself and its guests: made from facts, never from chance. */
import { powerStateName, type Guest, type GuestDiagnostics } from '@fractus/virt';
import type { StoredGuest } from './guest-store';
import type { HostCapacity } from './options';

/** MiB that a host keeps for itself. */
export const RESERVED_MEMORY_MB = 512;
/** 9.2.0, as an integer. */
export const HYPERVISOR_VERSION = 9_002_000;
const CPU_FEATURES = [
  'sse',
  'sse2',
  'ssse3',
  'sse4.1',
  'sse4.2',
  'aes',
  'avx',
  'avx2',
  'bmi1',
  'bmi2',
  'f16c',
  'fma',
  'pclmuldq',
  'vmx',
];

/** Root, ephemeral and swap together, in GiB. */
export function diskOf({ flavor }: StoredGuest['spec']): number {
  return flavor.rootGb + flavor.ephemeralGb + Math.ceil(flavor.swapMb / 1024);
}

export function guestView(g: StoredGuest): Guest {
  return {
    serverId: g.serverId,
    name: g.spec.name,
    powerState: g.powerState,
    vcpus: g.spec.flavor.vcpus,
    memoryMb: g.spec.flavor.memoryMb,
    diskGb: diskOf(g.spec),
    fence: g.fence,
    createdAt: g.createdAt,
    bootedAt: g.bootedAt,
  };
}

export function cpuInfo({ vcpus }: HostCapacity): string {
  const threads = vcpus % 2 === 0 ? 2 : 1;
  const topology = { cells: 1, sockets: 1, cores: vcpus / threads, threads };
  return JSON.stringify({
    arch: 'x86_64',
    model: 'Haswell-noTSX-IBRS',
    vendor: 'Intel',
    features: CPU_FEATURES,
    topology,
  });
}

/** ` 12:01:02 up 3 days,  4:05,  0 users,  load average: 0.10, 0.10, 0.10`. */
export function uptimeText(now: number, uptimeSeconds: number, load: number): string {
  const days = Math.floor(uptimeSeconds / 86_400);
  const hours = Math.floor((uptimeSeconds % 86_400) / 3_600);
  const minutes = String(Math.floor((uptimeSeconds % 3_600) / 60)).padStart(2, '0');
  const up = `${days > 0 ? `${days} day${days === 1 ? '' : 's'}, ` : ''}${String(hours).padStart(2)}:${minutes}`;
  const average = load.toFixed(2);
  return ` ${new Date(now).toISOString().slice(11, 19)} up ${up},  0 users,  load average: ${average}, ${average}, ${average}`;
}

/** Boot messages of the last boot; the guest says what it was given, so that tests can look for it. */
export function consoleText(g: StoredGuest): string {
  const { spec } = g;
  const lines: [number, string][] = [
    [0, `Linux version 6.12.0-simulated (boot ${g.boots})`],
    [0, 'Command line: console=ttyS0 root=/dev/vda1 ro'],
    [0.004, `BIOS-provided physical RAM map: ${spec.flavor.memoryMb} MiB usable`],
    [0.112, `smp: Brought up 1 node, ${spec.flavor.vcpus} CPU${spec.flavor.vcpus === 1 ? '' : 's'}`],
    [0.431, `virtio_blk virtio0: [vda] ${spec.flavor.rootGb} GiB`],
    ...spec.nics.map((nic, i): [number, string] => [
      0.512 + i / 100,
      `virtio_net virtio${i + 1} eth${i}: ${nic.macAddress} ${nic.fixedIps.map((ip) => ip.ipAddress).join(' ')}`,
    ]),
    [1.204, 'EXT4-fs (vda1): mounted filesystem with ordered data mode'],
  ];
  if (spec.configDrive) lines.push([1.3, 'sr0: config drive found (config-2)']);
  if (spec.keyName) lines.push([2.018, `cloud-init: ssh key "${spec.keyName}" authorized`]);
  const kernel = lines.map(([at, text]) => `[${at.toFixed(6).padStart(12)}] ${text}\n`).join('');
  return `${kernel}\n${spec.hostname} ttyS0\n\n${spec.hostname} login: \n`;
}

/** The last `lines` lines of `text`; all of it when not given. */
export function lastLines(text: string, lines: number | undefined): string {
  if (lines === undefined || lines < 0) return text;
  return lines === 0
    ? ''
    : text
        .split('\n')
        .slice(-lines - 1)
        .join('\n');
}

const STATES = {
  nostate: 'pending',
  running: 'running',
  paused: 'paused',
  shutdown: 'shutdown',
  crashed: 'crashed',
  suspended: 'suspended',
} as const;

/** Counters that grow with the time since the last boot, as an idle guest's do. */
export function diagnosticsView(g: StoredGuest, now: number): GuestDiagnostics {
  const up = g.bootedAt === null ? 0 : Math.max(0, Math.floor((now - g.bootedAt) / 1000));
  const { flavor, nics } = g.spec;
  return {
    state: STATES[powerStateName(g.powerState)],
    driver: 'simulated',
    hypervisor: 'simulated',
    hypervisorOs: 'linux',
    uptime: up,
    configDrive: g.spec.configDrive,
    cpus: Array.from({ length: flavor.vcpus }, (_, id) => ({ id, time: up * 20_000_000, utilisation: up > 0 ? 2 : 0 })),
    memory: { maximum: flavor.memoryMb, used: up > 0 ? Math.ceil(flavor.memoryMb / 4) : 0 },
    disks: [
      {
        readBytes: 20_971_520 * g.boots,
        readRequests: 1_280 * g.boots,
        writeBytes: up * 4_096,
        writeRequests: up,
        errorsCount: 0,
      },
    ],
    nics: nics.map(({ macAddress }) => ({
      macAddress,
      rxOctets: up * 96,
      rxPackets: up,
      rxErrors: 0,
      rxDrop: 0,
      txOctets: up * 64,
      txPackets: up,
      txErrors: 0,
      txDrop: 0,
    })),
  };
}
