/**
 * The driver contract: what the compute agent asks of a hypervisor. Background and rules.
 *
 * - A driver serves one host or many (a cluster, a simulator); every method names the host.
 * - Guests outlive the driver object and the process: opening it again finds them.
 * - Operations may be repeated. `spawn` looks for the guest first and never makes a second one; `destroy` of a guest
 *   that is not there succeeds; a power operation whose state already holds succeeds without effect (`POWER_RULES`).
 *   Drivers may therefore forget everything but the guests: order, fences and repeats are the agent's journal's matter.
 * - The agent runs one operation per guest (a server on a host) at a time. Drivers may rely on that.
 * - A refused or failed operation leaves the guest as it was; a failed or aborted `spawn` leaves nothing behind.
 * - Whatever a driver throws is a `DriverError`; anything else counts as a fault of the driver.
 */
import type { PowerState } from '@fractus/objects';
import type { DriverCapabilities } from '@fractus/hypervisors-capabilities';
import type { GuestSpec } from '@fractus/rpc-contracts';

export type { GuestSpec };

export interface DriverNode {
  /** Name of the service host: where messages go. */
  readonly host: string;
  /** hypervisor_hostname. */
  readonly node: string;
}

/** One resource class of a host. Units are the class's own: VCPU threads, MEMORY_MB MiB, DISK_GB GiB. */
export interface DriverInventory {
  readonly total: number;
  readonly reserved: number;
  readonly minUnit: number;
  readonly maxUnit: number;
  readonly stepSize: number;
  /** Used only where neither configuration nor Placement knows a ratio yet. */
  readonly initialRatio: number;
}
/** Class name → inventory. A class with total 0 is left out. */
export type DriverInventories = Readonly<Record<string, DriverInventory>>;

/** Static traits of a host beside those that follow from its capabilities. */
export interface DriverTraits {
  readonly present: readonly string[];
  /** Every trait this driver may ever set: of these alone the agent removes what is not `present`. */
  readonly owned: readonly string[];
}

/** A hypervisor as it is now. Memory in MiB, disk in GiB. */
export interface DriverHostState {
  readonly hypervisorType: string;
  /** As an integer: major × 1 000 000 + minor × 1 000 + patch. */
  readonly hypervisorVersion: number;
  readonly hostIp: string;
  readonly architecture: string;
  /** JSON text as the API shows it. */
  readonly cpuInfo: string;
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly diskGb: number;
  readonly vcpusUsed: number;
  /** Includes what the host keeps for itself. */
  readonly memoryMbUsed: number;
  readonly diskGbUsed: number;
  readonly runningGuests: number;
  /** Seconds since the hypervisor started. */
  readonly uptimeSeconds: number;
}

export interface Guest {
  readonly serverId: string;
  readonly name: string;
  readonly powerState: PowerState;
  readonly vcpus: number;
  /** MiB. */
  readonly memoryMb: number;
  /** GiB: root, ephemeral and swap together. */
  readonly diskGb: number;
  /** Fence of the last operation that touched it. */
  readonly fence: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds of the last boot; null while it is down. */
  readonly bootedAt: number | null;
}

/** Counters of a guest since it was made; upstream's standard diagnostics (microversion 2.48). */
export interface GuestDiagnostics {
  readonly state: 'pending' | 'running' | 'paused' | 'shutdown' | 'crashed' | 'suspended';
  readonly driver: string;
  readonly hypervisor: string;
  readonly hypervisorOs: string;
  /** Seconds. */
  readonly uptime: number;
  readonly configDrive: boolean;
  /** `time`: nanoseconds; `utilisation`: percent. */
  readonly cpus: readonly { readonly id: number; readonly time: number; readonly utilisation: number }[];
  /** MiB. */
  readonly memory: { readonly maximum: number; readonly used: number };
  readonly disks: readonly {
    readonly readBytes: number;
    readonly readRequests: number;
    readonly writeBytes: number;
    readonly writeRequests: number;
    readonly errorsCount: number;
  }[];
  readonly nics: readonly {
    readonly macAddress: string;
    readonly rxOctets: number;
    readonly rxPackets: number;
    readonly rxErrors: number;
    readonly rxDrop: number;
    readonly txOctets: number;
    readonly txPackets: number;
    readonly txErrors: number;
    readonly txDrop: number;
  }[];
}

/** A sign of life from inside an operation. */
export interface Progress {
  /** `networking`, `image`, `spawning`, …; a task_state where it is one. */
  readonly phase?: string;
  readonly percent?: number;
  /** The driver has lost touch: until the next report nobody vouches that anything moves, and silence may run out. */
  readonly stalled?: boolean;
}

/** How one operation is run. */
export interface Work {
  /** Of the lease on whose behalf it is done. Drivers note it with the guest; they do not judge it. */
  readonly fence: number;
  readonly signal: AbortSignal;
  progress(report: Progress): void;
}

export type RebootType = 'SOFT' | 'HARD';

/** A guest changed its power state without being asked to. */
export interface GuestChange {
  readonly host: string;
  readonly serverId: string;
  readonly fence: number;
  readonly powerState: PowerState;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface VirtDriver {
  /** `simulated`, `qemu`, … */
  readonly name: string;

  nodes(): readonly DriverNode[];
  capabilities(host: string): DriverCapabilities;
  inventory(host: string): Promise<DriverInventories>;
  traits(host: string): Promise<DriverTraits>;
  hostState(host: string): Promise<DriverHostState>;
  /** As `uptime(1)` prints it. */
  uptime(host: string): Promise<string>;

  /** Makes the guest and starts it; answers with the one that is there where there is one. */
  spawn(host: string, guest: GuestSpec, work: Work): Promise<Guest>;
  /** Removes the guest and everything of it, whatever its state. */
  destroy(host: string, serverId: string, work: Work): Promise<void>;
  start(host: string, serverId: string, work: Work): Promise<Guest>;
  /** `timeoutSeconds`: what the guest gets for a clean shutdown; 0 pulls the plug. */
  stop(host: string, serverId: string, timeoutSeconds: number, work: Work): Promise<Guest>;
  reboot(host: string, serverId: string, type: RebootType, work: Work): Promise<Guest>;
  pause(host: string, serverId: string, work: Work): Promise<Guest>;
  unpause(host: string, serverId: string, work: Work): Promise<Guest>;
  suspend(host: string, serverId: string, work: Work): Promise<Guest>;
  resume(host: string, serverId: string, work: Work): Promise<Guest>;

  guests(host: string): Promise<readonly Guest[]>;
  /** Throws `guest.not_found`. */
  guest(host: string, serverId: string): Promise<Guest>;
  /** The last `lines` of the serial console, all that is kept by default. */
  consoleOutput(host: string, serverId: string, lines?: number): Promise<string>;
  diagnostics(host: string, serverId: string): Promise<GuestDiagnostics>;

  /** Guests that change by themselves. Returns the function that ends the subscription. */
  onGuestChange(listener: (change: GuestChange) => void): () => void;
  /** Lets go of the hypervisor; guests stay. */
  close(): Promise<void>;
}
