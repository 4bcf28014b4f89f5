/**
 * A driver without hypervisors: thousands of hosts in one process, guests that are rows.
 *
 * It behaves as a real one wherever the control plane can tell: operations take time and report progress, can be
 * aborted, fail by chance or on demand; guests have power states, consoles and counters, die by themselves, and outlive
 * the process. Every effect is written to a ledger, which says what truly happened (`ledger.ts`).
 */
import { POWER_STATES } from '@fractus/objects';
import { driverCapabilities, type DriverCapabilities } from '@fractus/hypervisors-capabilities';
import {
  DriverError,
  guestNotFound,
  hostNotFound,
  powerStep,
  systemClock,
  type Clock,
  type DriverHostState,
  type DriverInventories,
  type DriverNode,
  type DriverTraits,
  type Guest,
  type GuestChange,
  type GuestDiagnostics,
  type GuestSpec,
  type PowerOperation,
  type RebootType,
  type VirtDriver,
  type Work,
} from '@fractus/virt';
import { Deaths } from './deaths';
import { injectedDeath } from './faults';
import { GuestStore, type StoredGuest } from './guest-store';
import type { LedgerEntry, LedgerFilter } from './ledger';
import {
  CAPACITY_PROFILES,
  DEFAULT_LATENCY,
  type HostCapacity,
  type SimulatedDriverOptions,
  type SimulatedOperation,
} from './options';
import { seededRandom } from './random';
import { Stage } from './stage';
import {
  consoleText,
  cpuInfo,
  diagnosticsView,
  diskOf,
  guestView,
  HYPERVISOR_VERSION,
  lastLines,
  RESERVED_MEMORY_MB,
  uptimeText,
} from './views';

const CAPABILITIES = driverCapabilities(
  'supports_image_type_aki',
  'supports_image_type_ami',
  'supports_image_type_ari',
  'supports_image_type_iso',
  'supports_image_type_qcow2',
  'supports_image_type_raw',
  'supports_image_type_vdi',
  'supports_image_type_vmdk',
);

const TRAITS = [
  'HW_ARCH_X86_64',
  ...[
    'SSE',
    'SSE2',
    'SSSE3',
    'SSE41',
    'SSE42',
    'AESNI',
    'AVX',
    'AVX2',
    'BMI',
    'BMI2',
    'F16C',
    'FMA3',
    'CLMUL',
    'VMX',
  ].map((f) => `HW_CPU_X86_${f}`),
  'COMPUTE_ARCH_X86_64',
  'COMPUTE_GRAPHICS_MODEL_VGA',
  'COMPUTE_GRAPHICS_MODEL_VIRTIO',
  'COMPUTE_NET_VIF_MODEL_E1000',
  'COMPUTE_NET_VIF_MODEL_VIRTIO',
  'COMPUTE_STORAGE_BUS_IDE',
  'COMPUTE_STORAGE_BUS_SATA',
  'COMPUTE_STORAGE_BUS_SCSI',
  'COMPUTE_STORAGE_BUS_VIRTIO',
];

interface SimulatedHost {
  readonly capacity: HostCapacity;
  readonly ip: string;
  readonly cpuInfo: string;
}

/** Opens the simulated hypervisors of `options.hosts`; guests of former runs are there again. */
export function createSimulatedDriver(options: SimulatedDriverOptions): SimulatedDriver {
  return new SimulatedDriver(options);
}

export class SimulatedDriver implements VirtDriver {
  readonly name = 'simulated';
  private readonly clock: Clock;
  private readonly hosts = new Map<string, SimulatedHost>();
  private readonly store: GuestStore;
  private readonly stage: Stage;
  private readonly deaths: Deaths;
  private readonly listeners = new Set<(change: GuestChange) => void>();
  private readonly startedAt: number;

  constructor(options: SimulatedDriverOptions) {
    this.clock = options.clock ?? systemClock;
    const capacities = (options.capacity ?? ['default']).map((c) => (typeof c === 'string' ? CAPACITY_PROFILES[c] : c));
    options.hosts.forEach((host, i) =>
      this.hosts.set(host, makeHost(capacities[i % capacities.length] ?? CAPACITY_PROFILES.default, i)),
    );
    this.store = new GuestStore(options.stateDir, options.ledgerLimit ?? 1_000_000);
    this.startedAt = this.store.fact('started_at', this.clock.now());
    const { faults = {}, hostFaults = {} } = options;
    this.stage = new Stage({
      latency: { ...DEFAULT_LATENCY, ...options.latency },
      faultsOf: (host) => ({ ...faults, ...hostFaults[host] }),
      random: seededRandom(options.seed ?? this.clock.now()),
      clock: this.clock,
      store: this.store,
    });
    this.deaths = new Deaths(this.clock, (host, serverId) => this.dieInTime(host, serverId));
    for (const g of this.store.mortals()) this.deaths.set(g.host, g.serverId, g.diesAt);
  }

  nodes(): readonly DriverNode[] {
    return [...this.hosts.keys()].map((host) => ({ host, node: host }));
  }

  capabilities(host: string): DriverCapabilities {
    this.host(host);
    return CAPABILITIES;
  }

  async inventory(host: string): Promise<DriverInventories> {
    const { vcpus, memoryMb, diskGb } = this.host(host).capacity;
    const of = (total: number, reserved: number, initialRatio: number) => ({
      total,
      reserved,
      minUnit: 1,
      maxUnit: total,
      stepSize: 1,
      initialRatio,
    });
    const all = {
      VCPU: of(vcpus, 0, 4),
      MEMORY_MB: of(memoryMb, Math.min(RESERVED_MEMORY_MB, memoryMb), 1),
      DISK_GB: of(diskGb, 0, 1),
    };
    return Object.fromEntries(Object.entries(all).filter(([, i]) => i.total > 0));
  }

  async traits(host: string): Promise<DriverTraits> {
    this.host(host);
    return { present: TRAITS, owned: TRAITS };
  }

  async hostState(host: string): Promise<DriverHostState> {
    const { capacity, ip, cpuInfo: cpu } = this.host(host);
    const used = { vcpusUsed: 0, memoryMbUsed: RESERVED_MEMORY_MB, diskGbUsed: 0, runningGuests: 0 };
    for (const g of this.store.guests(host)) {
      used.vcpusUsed += g.spec.flavor.vcpus;
      used.memoryMbUsed += g.spec.flavor.memoryMb;
      used.diskGbUsed += diskOf(g.spec);
      used.runningGuests++;
    }
    return {
      hypervisorType: 'simulated',
      hypervisorVersion: HYPERVISOR_VERSION,
      hostIp: ip,
      architecture: 'x86_64',
      cpuInfo: cpu,
      ...capacity,
      ...used,
      uptimeSeconds: this.uptimeSeconds(),
    };
  }

  async uptime(host: string): Promise<string> {
    const { runningGuests, vcpus } = await this.hostState(host);
    return uptimeText(this.clock.now(), this.uptimeSeconds(), runningGuests / vcpus);
  }

  async spawn(host: string, guest: GuestSpec, work: Work): Promise<Guest> {
    const { capacity } = this.host(host);
    const found = this.store.guest(host, guest.serverId);
    if (found) return guestView(found);
    if (guest.flavor.memoryMb > capacity.memoryMb || guest.flavor.vcpus > capacity.vcpus) {
      throw new DriverError('driver.capacity', `The guest is larger than ${host} as a whole.`);
    }
    const death = injectedDeath(guest.metadata);
    await this.stage.play({ operation: 'spawn', host, serverId: guest.serverId, metadata: guest.metadata, work });
    const now = this.clock.now();
    const stored: StoredGuest = {
      host,
      serverId: guest.serverId,
      // a password is for the guest alone: the hypervisor keeps none
      spec: { ...guest, adminPassword: null },
      powerState: POWER_STATES.running,
      fence: work.fence,
      createdAt: now,
      bootedAt: now,
      boots: 1,
      diesAt: death === null ? null : now + death.afterMs,
    };
    this.write(stored, 'spawn', work.fence);
    return guestView(stored);
  }

  async destroy(host: string, serverId: string, work: Work): Promise<void> {
    this.host(host);
    const found = this.store.guest(host, serverId);
    if (!found) return;
    await this.stage.play({ operation: 'destroy', host, serverId, metadata: found.spec.metadata, work });
    this.deaths.set(host, serverId, null);
    this.store.remove(host, serverId, { effect: 'destroy', fence: work.fence, at: this.clock.now() });
  }

  start(host: string, serverId: string, work: Work): Promise<Guest> {
    return this.power(host, serverId, 'start', 'start', work);
  }

  stop(host: string, serverId: string, _timeoutSeconds: number, work: Work): Promise<Guest> {
    return this.power(host, serverId, 'stop', 'stop', work);
  }

  reboot(host: string, serverId: string, type: RebootType, work: Work): Promise<Guest> {
    return this.power(host, serverId, type === 'SOFT' ? 'reboot-soft' : 'reboot-hard', 'reboot', work);
  }

  pause(host: string, serverId: string, work: Work): Promise<Guest> {
    return this.power(host, serverId, 'pause', 'pause', work);
  }

  unpause(host: string, serverId: string, work: Work): Promise<Guest> {
    return this.power(host, serverId, 'unpause', 'unpause', work);
  }

  suspend(host: string, serverId: string, work: Work): Promise<Guest> {
    return this.power(host, serverId, 'suspend', 'suspend', work);
  }

  resume(host: string, serverId: string, work: Work): Promise<Guest> {
    return this.power(host, serverId, 'resume', 'resume', work);
  }

  async guests(host: string): Promise<readonly Guest[]> {
    this.host(host);
    return [...this.store.guests(host)].map(guestView);
  }

  async guest(host: string, serverId: string): Promise<Guest> {
    return guestView(this.stored(host, serverId));
  }

  async consoleOutput(host: string, serverId: string, lines?: number): Promise<string> {
    return lastLines(consoleText(this.stored(host, serverId)), lines);
  }

  async diagnostics(host: string, serverId: string): Promise<GuestDiagnostics> {
    return diagnosticsView(this.stored(host, serverId), this.clock.now());
  }

  onGuestChange(listener: (change: GuestChange) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.deaths.stop();
    this.listeners.clear();
    this.store.close();
  }

  /** Lets a guest die or power itself off, as a fault inside it would. Throws `guest.not_found`. */
  kill(host: string, serverId: string, state: 'crashed' | 'shutdown' = 'crashed'): void {
    const g = this.stored(host, serverId);
    const dead: StoredGuest = { ...g, powerState: POWER_STATES[state], bootedAt: null, diesAt: null };
    this.write(dead, state === 'crashed' ? 'crash' : 'shutdown', g.fence);
    const change: GuestChange = { host, serverId, fence: g.fence, powerState: dead.powerState, at: this.clock.now() };
    for (const listener of this.listeners) listener(change);
  }

  /** Side effects so far, oldest first. */
  ledger(filter: LedgerFilter = {}): LedgerEntry[] {
    return this.store.ledger(filter);
  }

  private async power(
    host: string,
    serverId: string,
    rule: PowerOperation,
    operation: SimulatedOperation,
    work: Work,
  ): Promise<Guest> {
    const before = this.stored(host, serverId);
    if (!powerStep(rule, before.powerState).work) return guestView(before);
    await this.stage.play({ operation, host, serverId, metadata: before.spec.metadata, work });
    // it may have died meanwhile: look again, and judge again
    const g = this.stored(host, serverId);
    const step = powerStep(rule, g.powerState);
    if (!step.work) return guestView(g);
    const after = this.booted({ ...g, powerState: step.to, fence: work.fence }, rule);
    this.write(after, rule, work.fence);
    return guestView(after);
  }

  /** Boot times and the hour of death after a power operation. */
  private booted(g: StoredGuest, rule: PowerOperation): StoredGuest {
    if (g.powerState === POWER_STATES.shutdown) return { ...g, bootedAt: null, diesAt: null };
    if (rule !== 'start' && rule !== 'reboot-soft' && rule !== 'reboot-hard') return g;
    const now = this.clock.now();
    const death = injectedDeath(g.spec.metadata);
    return { ...g, bootedAt: now, boots: g.boots + 1, diesAt: death === null ? null : now + death.afterMs };
  }

  private dieInTime(host: string, serverId: string): void {
    const g = this.store.guest(host, serverId);
    if (g?.powerState !== POWER_STATES.running) return;
    this.kill(host, serverId, injectedDeath(g.spec.metadata)?.state);
  }

  private write(guest: StoredGuest, effect: string, fence: number): void {
    this.store.put(guest, { effect, fence, at: this.clock.now() });
    this.deaths.set(guest.host, guest.serverId, guest.diesAt);
  }

  private uptimeSeconds(): number {
    return Math.max(0, Math.floor((this.clock.now() - this.startedAt) / 1000));
  }

  private host(name: string): SimulatedHost {
    const host = this.hosts.get(name);
    if (!host) throw hostNotFound(name);
    return host;
  }

  private stored(host: string, serverId: string): StoredGuest {
    this.host(host);
    const g = this.store.guest(host, serverId);
    if (!g) throw guestNotFound(host, serverId);
    return g;
  }
}

function makeHost(capacity: HostCapacity, index: number): SimulatedHost {
  const ip = `10.${128 + ((index >> 16) & 0x7f)}.${(index >> 8) & 0xff}.${index & 0xff}`;
  return { capacity, ip, cpuInfo: cpuInfo(capacity) };
}
