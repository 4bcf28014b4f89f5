/**
 * How a host comes into service, in this order: conductor knows it (register), conductor has said what becomes of the
 * guests that are on it (re-attach), Placement knows its resources (track), then it consumes messages, and only then it is told of as alive.
 *
 * Hosts go through in pages. A neighbour that is not there yet is asked again forever, with growing pauses.
 */
import type { RequestContext } from '@fractus/objects';
import type { Client, conductorContract, HostGuest, HostState, RegisteredHost } from '@fractus/rpc-contracts';
import type { RpcServing } from '@fractus/rpc';
import { POWER_STATES } from '@fractus/objects';
import type { VirtDriver } from '@fractus/virt';
import type { Journal } from '../journal/journal';
import type { ResourceTracker } from '../resource-tracker/resource-tracker';
import type { AgentHost, HostRegistry } from './host-registry';
import { readHostState } from './host-state';
import { eachOf, retry, Stopped, type RetryTools } from './retry';

/** Hosts in one registration. */
const PAGE = 200;
/** Hosts that re-attach at the same time. */
const WIDTH = 16;
/** Grows when agents learn something that conductor must know before it asks for it. */
export const SERVICE_VERSION = 1;

export interface LifecycleParts extends RetryTools {
  readonly agentId: string;
  readonly incarnation: number;
  readonly driver: VirtDriver;
  readonly journal: Journal;
  readonly hosts: HostRegistry;
  readonly tracker: ResourceTracker;
  readonly conductor: Client<typeof conductorContract>;
  readonly serving: Pick<RpcServing, 'addHost'>;
  readonly newContext: () => RequestContext;
  /** Tells conductor and schedulers of the hosts that changed. */
  readonly tellNow: () => Promise<void>;
}

export class HostLifecycle {
  constructor(private readonly parts: LifecycleParts) {}

  /** Brings every host into service. Resolves when all are, or when the agent goes down. */
  async run(): Promise<void> {
    const hosts = this.parts.hosts.all();
    try {
      for (let i = 0; i < hosts.length; i += PAGE) await this.page(hosts.slice(i, i + PAGE));
      this.parts.logger.info({ hosts: hosts.length }, 'all hosts are in service');
    } catch (e) {
      if (!(e instanceof Stopped)) throw e;
    }
  }

  private async page(hosts: readonly AgentHost[]): Promise<void> {
    const { tracker, parts } = { tracker: this.parts.tracker, parts: this.parts };
    await retry('register hosts with conductor', parts, () => this.register(hosts));
    await eachOf(hosts, WIDTH, (host) => retry(`re-attach ${host.host}`, parts, () => this.reattach(host)));
    await retry('tell placement of hosts', parts, () => tracker.sync(parts.newContext(), hosts));
    await eachOf(hosts, WIDTH, (host) => retry(`serve ${host.host}`, parts, () => parts.serving.addHost(host.host)));
    for (const host of hosts) {
      host.serving = true;
      parts.hosts.changed(host.host);
    }
    await parts.tellNow();
  }

  private async register(hosts: readonly AgentHost[]): Promise<void> {
    const { agentId, incarnation, driver, tracker, conductor, newContext } = this.parts;
    const states: HostState[] = [];
    for (const host of hosts) states.push(await readHostState(driver, tracker, host));
    const answer = await conductor.registerHosts(newContext(), {
      agentId,
      incarnation,
      serviceVersion: SERVICE_VERSION,
      hosts: states,
    });
    const known = new Map(answer.hosts.map((h): [string, RegisteredHost] => [h.host, h]));
    for (const host of hosts) await this.adopt(host, known.get(host.host));
  }

  private async adopt(host: AgentHost, registered: RegisteredHost | undefined): Promise<void> {
    if (!registered) throw new Error(`conductor did not answer for host ${host.host}`);
    host.disabled = registered.disabled;
    if (registered.nodeId === host.nodeId) return;
    this.parts.logger.warn(
      { host: host.host, here: host.nodeId, there: registered.nodeId },
      'conductor knows this node by another id, which is taken over',
    );
    await this.parts.hosts.adoptNodeId(host, registered.nodeId);
  }

  /** Asks what becomes of the guests on the host. A guest is destroyed on conductor's word only. */
  private async reattach(host: AgentHost): Promise<void> {
    const { agentId, journal, driver, conductor, newContext, logger, clock } = this.parts;
    const at = clock.now();
    const guests = await this.guestsOf(host);
    const { guests: verdicts } = await conductor.reattachHost(newContext(), { agentId, host: host.host, guests, at });
    for (const { serverId, verdict, fence } of verdicts) {
      journal.raiseFence(serverId, fence);
      await journal.durable();
      if (verdict !== 'destroy') continue;
      logger.warn(
        { host: host.host, server_id: serverId, fence },
        'conductor says that this guest is not to be here: it is destroyed',
      );
      await driver.destroy(host.host, serverId, { fence, signal: this.parts.signal, progress: () => undefined });
    }
  }

  /** Guests on the host, and servers with an interrupted operation there: those may or may not have one. */
  private async guestsOf(host: AgentHost): Promise<HostGuest[]> {
    const { journal, driver } = this.parts;
    const found = new Map<string, HostGuest>();
    for (const serverId of journal.unfinished(host.host))
      found.set(serverId, { serverId, fence: journal.fenceOf(serverId), powerState: POWER_STATES.nostate });
    for (const { serverId, fence, powerState } of await driver.guests(host.host)) {
      found.set(serverId, { serverId, fence: Math.max(fence, journal.fenceOf(serverId)), powerState });
    }
    return [...found.values()];
  }
}
