import { randomUUID } from 'node:crypto';
import type { VirtDriver } from '@fractus/virt';
import type { Journal } from '../journal/journal';

/** A host of this process. */
export interface AgentHost {
  readonly host: string;
  /** hypervisor_hostname. */
  readonly node: string;
  /** Uuid of the compute node and of its root resource provider; stable over restarts. */
  nodeId: string;
  disabled: boolean;
  /** Whether it is consuming. */
  serving: boolean;
  /** Whether conductor and schedulers were told that it serves. */
  announced: boolean;
  /** Builds that failed since the last that succeeded. */
  failedBuilds: number;
  /** Disk-heavy operations under way. */
  ioOps: number;
}

/** The hosts of this process and which of them have something new to tell. */
export class HostRegistry {
  private readonly hosts = new Map<string, AgentHost>();
  private readonly dirty = new Set<string>();
  private listener: () => void = () => undefined;

  private constructor(private readonly journal: Journal) {}

  /** Takes the driver's nodes; those not seen before get an id, which is on disk before anybody is told. */
  static async open(driver: VirtDriver, journal: Journal): Promise<HostRegistry> {
    const registry = new HostRegistry(journal);
    const known = journal.nodeIds();
    const fresh: [string, string][] = [];
    for (const { host, node } of driver.nodes()) {
      let nodeId = known.get(host);
      if (nodeId === undefined) fresh.push([host, (nodeId = randomUUID())]);
      registry.hosts.set(host, {
        host,
        node,
        nodeId,
        disabled: false,
        serving: false,
        announced: false,
        failedBuilds: 0,
        ioOps: 0,
      });
    }
    if (fresh.length > 0) journal.saveNodeIds(fresh);
    await journal.durable();
    return registry;
  }

  get size(): number {
    return this.hosts.size;
  }

  get(host: string): AgentHost | undefined {
    return this.hosts.get(host);
  }

  all(): AgentHost[] {
    return [...this.hosts.values()];
  }

  serving(): AgentHost[] {
    return this.all().filter((h) => h.serving);
  }

  /** Conductor knows the host's node by another id: its word counts, for rows and providers hang on it. */
  async adoptNodeId(host: AgentHost, nodeId: string): Promise<void> {
    host.nodeId = nodeId;
    this.journal.saveNodeIds([[host.host, nodeId]]);
    await this.journal.durable();
  }

  /** Something of the host changed that others are to hear of. */
  changed(host: string): void {
    this.dirty.add(host);
    this.listener();
  }

  /** One listener: the reporter. */
  onChange(listener: () => void): void {
    this.listener = listener;
  }

  /** The serving hosts that changed since the last taking. */
  takeChanged(): AgentHost[] {
    const taken = [...this.dirty].flatMap((name) => this.hosts.get(name) ?? []).filter((h) => h.serving);
    for (const { host } of taken) this.dirty.delete(host);
    return taken;
  }

  /** They could not be told: they count as changed again. */
  giveBack(hosts: readonly AgentHost[]): void {
    for (const { host } of hosts) this.dirty.add(host);
  }
}
