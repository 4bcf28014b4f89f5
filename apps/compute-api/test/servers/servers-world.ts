import { randomUUID } from 'node:crypto';
import { FlavorsRepository, HostsRepository } from '@fractus/compute-db';
import type { Image, Network, Port, SecurityGroup } from '@fractus/clients';
import { notFound } from '@fractus/objects';
import { hostState } from '../hosts/hosts-world';
import { ApiUnderTest, type Ask, type Reply } from '../api-under-test';

export const IMAGE = '11111111-1111-4111-8111-111111111111';
export const NETWORK = '22222222-2222-4222-8222-222222222222';
export const PORT = '33333333-3333-4333-8333-333333333333';
export const GROUP = '44444444-4444-4444-8444-444444444444';

/** What the neighbours of this world answer; tests change it. */
export interface Neighbours {
  imageProperties: Record<string, string>;
  networks: Partial<Network>[];
  /** Ports of the project; those with `fixedIps` take the address. */
  ports: Partial<Port>[];
  portQuota: number;
  groups: Partial<SecurityGroup>[];
}

/** A Compute API without conductor or hosts: what a server is asked to be, and what is told of it. */
export class ServersWorld {
  private constructor(
    readonly api: ApiUnderTest,
    readonly neighbours: Neighbours,
  ) {}

  static async start(clients: Parameters<typeof ApiUnderTest.start>[1] = {}): Promise<ServersWorld> {
    const neighbours: Neighbours = {
      imageProperties: {},
      networks: [
        { id: NETWORK, name: 'private', adminStateUp: true, shared: true, external: false, subnetIds: ['s1'] },
      ],
      ports: [],
      portQuota: -1,
      groups: [{ id: GROUP, name: 'web' }],
    };
    const image = { id: IMAGE, name: 'image', status: 'active', size: 1, minDisk: 0, minRam: 0 };
    const images = {
      show: async (_ctx: unknown, id: string): Promise<Image> => {
        if (id !== IMAGE) throw notFound('no such image', { code: 'image.not_found' });
        return { ...image, properties: neighbours.imageProperties } as unknown as Image;
      },
    };
    const networks = {
      listNetworks: async () => neighbours.networks,
      listPorts: async (_ctx: unknown, { fixedIp }: { fixedIp?: string }) =>
        neighbours.ports.filter((p) => fixedIp === undefined || p.fixedIps?.some((ip) => ip.ipAddress === fixedIp)),
      listSecurityGroups: async () => neighbours.groups,
      quotas: async () => ({ port: neighbours.portQuota }),
      portsUsed: async () => neighbours.ports.length,
    };
    const api = await ApiUnderTest.start({}, { images: images as never, networks: networks as never, ...clients });
    const flavor = { vcpus: 1, memoryMb: 64, rootGb: 1, ephemeralGb: 0, swapMb: 0, rxtxFactor: 1, isPublic: true };
    const flavors = new FlavorsRepository(api.database);
    for (const [flavorId, disabled] of [
      ['1', false],
      ['off', true],
    ] as const)
      await flavors.create(
        { ...flavor, flavorId, name: `f-${flavorId}`, disabled, extraSpecs: {}, description: null },
        1,
      );
    return new ServersWorld(api, neighbours);
  }

  create(server: Record<string, unknown>, { beside = {}, ...ask }: Ask & { beside?: object } = {}): Promise<Reply> {
    const body = { server: { name: 'one', imageRef: IMAGE, flavorRef: '1', networks: 'none', ...server }, ...beside };
    return this.api.post('/v2.1/servers', body, { version: '2.37', as: 'joe:p1', ...ask });
  }

  /** Creates a server that must be accepted, and gives its id. */
  async made(server: Record<string, unknown> = {}, ask: Ask = {}): Promise<string> {
    const { status, body } = await this.create(server, ask);
    if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body.server.id as string;
  }

  show(id: string, ask: Ask = {}): Promise<Reply> {
    return this.api.get(`/v2.1/servers/${id}`, { version: '2.104', as: 'joe:p1', ...ask });
  }

  act(id: string, body: object, ask: Ask = {}): Promise<Reply> {
    return this.api.post(`/v2.1/servers/${id}/action`, body, { as: 'joe:p1', ...ask });
  }

  /** Names of the servers that a list gives. */
  async names(query: string, ask: Ask = {}): Promise<string[]> {
    const { status, body } = await this.api.get(`/v2.1/servers${query}`, { as: 'joe:p1', version: '2.104', ...ask });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body.servers.map((s: { name: string }) => s.name).sort();
  }

  /** Writes columns of a server's row as conductor would. */
  async put(id: string, columns: Record<string, string | number | null>): Promise<void> {
    const set = Object.keys(columns).map((c) => `${c} = ?`);
    await this.api.database.transaction((tx) =>
      tx.execute(`UPDATE servers SET ${set.join(', ')} WHERE uuid = ?`, [...Object.values(columns), id]),
    );
  }

  /** Registers hosts h1 … hn as an agent would. */
  async addHosts(count: number): Promise<HostsRepository> {
    const hosts = new HostsRepository(this.api.database);
    const states = Array.from({ length: count }, (_, i) => hostState(i + 1));
    await hosts.register({ agentId: 'a', incarnation: 1, serviceVersion: 66 }, states, () => randomUUID(), Date.now());
    return hosts;
  }

  close(): Promise<void> {
    return this.api.close();
  }
}
