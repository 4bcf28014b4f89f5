import { randomUUID } from 'node:crypto';
import type { Server } from '@fractus/compute-db';
import { unimplemented } from '@fractus/objects';
import type { Client, Destination, GuestNic, schedulerContract } from '@fractus/rpc-contracts';
import type { NetworkPorts } from '../../src/network-ports';
import type { PlacementLedger } from './placement';

interface Port {
  readonly deviceId: string;
  readonly host: string;
  readonly preexisting: boolean;
}

/** Ports by id; those of users outlive servers. */
export class PortLedger implements NetworkPorts {
  readonly ports = new Map<string, Port>();

  constructor(private readonly alive: () => void) {}

  async ensurePorts(_ctx: unknown, server: Server, host: string): Promise<GuestNic[]> {
    this.alive();
    if (!Array.isArray(server.requestedNetworks)) return [];
    const mine = [...this.ports].filter(([, p]) => p.deviceId === server.id && !p.preexisting).map(([id]) => id);
    return (server.requestedNetworks as { portId?: string }[]).map((want) => {
      const portId = want.portId ?? mine.shift() ?? randomUUID();
      this.ports.set(portId, { deviceId: server.id, host, preexisting: want.portId !== undefined });
      return {
        portId,
        networkId: randomUUID(),
        macAddress: 'fa:16:3e:00:00:01',
        fixedIps: [],
        preexisting: want.portId !== undefined,
      };
    });
  }

  async releasePorts(_ctx: unknown, server: Pick<Server, 'id'>): Promise<void> {
    this.alive();
    for (const [id, port] of this.ports) {
      if (port.deviceId !== server.id) continue;
      if (port.preexisting) this.ports.set(id, { deviceId: '', host: '', preexisting: true });
      else this.ports.delete(id);
    }
  }

  async listOwned() {
    return [...this.ports]
      .filter(([, p]) => p.deviceId !== '')
      .map(([portId, p]) => ({ portId, deviceId: p.deviceId }));
  }

  async listByDevice(_ctx: unknown, deviceId: string) {
    return (await this.listOwned()).filter((p) => p.deviceId === deviceId);
  }
}

/** First host with room that is not excluded; claims as the real one does, in the task's name. */
export function schedulerOver(
  placement: PlacementLedger,
  hosts: readonly { host: string; nodeId: string }[],
  alive: () => void,
): Client<typeof schedulerContract> {
  return {
    dryRun: async () => {
      throw unimplemented('the conductor does not call this');
    },
    selectDestinations: async (_ctx, { serverId, taskId, fence, spec, excludeHosts, alternates }) => {
      alive();
      const vcpus = spec.flavor.vcpus;
      const fit = hosts.filter(
        ({ host, nodeId }) =>
          !excludeHosts.includes(host) &&
          placement.used(nodeId, serverId) + vcpus <= (placement.capacity.get(nodeId) ?? 0),
      );
      const [first, ...rest] = fit.map(({ host, nodeId }): Destination => ({
        host,
        node: host,
        nodeId,
        allocations: { [nodeId]: { resources: { VCPU: vcpus } } },
        weight: 1,
      }));
      const attemptId = randomUUID();
      if (!first)
        return {
          outcome: 'no_valid_host',
          alternates: [],
          attemptId,
          summary: `${hosts.length} hosts, none has ${vcpus} VCPU free`,
        };
      const owner = { taskId, fence };
      placement.write({
        consumerId: serverId,
        projectId: spec.projectId,
        userId: spec.userId,
        allocations: first.allocations,
        owner,
      });
      return { outcome: 'selected', destination: first, alternates: rest.slice(0, alternates), attemptId, summary: '' };
    },
  };
}
