import { randomUUID } from 'node:crypto';
import type { Network, NetworkClient, NewPort, Port, PortChange } from '@fractus/clients';
import type { Server } from '@fractus/compute-db';
import { notFound, systemContext } from '@fractus/objects';
import { NeutronPorts } from '../src/network-ports';

const ctx = { ...systemContext('req-1'), projectId: 'p1' };

/** The network service at the edge: ports by id, two networks. */
class Neutron {
  readonly ports = new Map<string, Port>();
  readonly networks: Network[] = [];
  calls: string[] = [];

  addNetwork(extra: Partial<Network> = {}): string {
    const id = randomUUID();
    const base = {
      id,
      name: `net-${id.slice(0, 4)}`,
      projectId: 'p1',
      shared: false,
      external: false,
      adminStateUp: true,
      status: 'ACTIVE',
      mtu: 1450,
      subnetIds: ['s'],
      portSecurityEnabled: true,
    };
    this.networks.push({ ...base, physicalNetwork: null, networkType: null, segmentationId: null, ...extra });
    return id;
  }

  addPort(port: Partial<NewPort> & { networkId: string }): Port {
    const made: Port = {
      id: randomUUID(),
      networkId: port.networkId,
      projectId: port.projectId ?? 'p1',
      name: port.name ?? '',
      macAddress: 'fa:16:3e:00:00:01',
      fixedIps: (port.fixedIps ?? [{ ipAddress: '10.0.0.9' }]).map((ip) => ({
        subnetId: 's',
        ipAddress: ip.ipAddress ?? '',
      })),
      status: 'DOWN',
      adminStateUp: true,
      deviceId: port.deviceId ?? '',
      deviceOwner: port.deviceOwner ?? '',
      securityGroupIds: port.securityGroupIds ?? ['default-id'],
      portSecurityEnabled: true,
      bindingHost: port.bindingHost ?? '',
      vnicType: 'normal',
      vifType: 'ovs',
      vifDetails: {},
      profile: {},
      resourceRequest: null,
      tags: [],
    };
    this.ports.set(made.id, made);
    return made;
  }

  client(): NetworkClient {
    const said = <R>(what: string, result: R): Promise<R> => (this.calls.push(what), Promise.resolve(result));
    const find = (id: string): Port => {
      const port = this.ports.get(id);
      if (!port) throw notFound(`Port ${id} could not be found.`);
      return port;
    };
    const client = {
      listNetworks: (_c: unknown, q: { ids?: string[] } = {}) =>
        said(
          'listNetworks',
          this.networks.filter((n) => !q.ids || q.ids.includes(n.id)),
        ),
      listPorts: (_c: unknown, q: { deviceId?: string }) =>
        said(
          'listPorts',
          [...this.ports.values()].filter((p) => q.deviceId === undefined || p.deviceId === q.deviceId),
        ),
      showPort: async (_c: unknown, id: string) => said('showPort', find(id)),
      createPort: (_c: unknown, port: NewPort) => said('createPort', this.addPort(port)),
      updatePort: async (_c: unknown, id: string, change: PortChange) => {
        const { deviceId, deviceOwner, bindingHost } = change;
        const port = { ...find(id), ...JSON.parse(JSON.stringify({ deviceId, deviceOwner, bindingHost })) } as Port;
        this.ports.set(id, port);
        return said('updatePort', port);
      },
      deletePort: (_c: unknown, id: string) => said('deletePort', void this.ports.delete(id)),
      listSecurityGroups: () =>
        said('listSecurityGroups', [{ id: 'web-id', name: 'web', description: '', projectId: 'p1', rules: [] }]),
    };
    return client as unknown as NetworkClient;
  }
}

const serverWith = (extra: Partial<Server>): Server =>
  ({
    id: randomUUID(),
    projectId: 'p1',
    availabilityZone: null,
    securityGroups: ['default'],
    requestedNetworks: 'none',
    ...extra,
  }) as Server;

describe('ports over Neutron', () => {
  let neutron: Neutron;
  let ports: NeutronPorts;
  beforeEach(() => {
    neutron = new Neutron();
    ports = new NeutronPorts(neutron.client());
  });

  it('are made once, in order, however often they are asked for, and move with the host', async () => {
    const [a, b] = [neutron.addNetwork(), neutron.addNetwork()];
    const server = serverWith({
      requestedNetworks: [
        { networkId: a, fixedIp: '10.0.0.5' },
        { networkId: b, tag: 'nic2' },
      ],
      securityGroups: ['web'],
    });
    const nics = await ports.ensurePorts(ctx, server, 'h1');
    expect(nics).toMatchObject([
      { networkId: a, fixedIps: [{ ipAddress: '10.0.0.5' }], preexisting: false, mtu: 1450 },
      { networkId: b, tag: 'nic2', preexisting: false },
    ]);
    expect(await ports.ensurePorts(ctx, server, 'h1')).toEqual(nics);
    expect((await ports.ensurePorts(ctx, server, 'h2')).map((n) => n.portId)).toEqual(nics.map((n) => n.portId));
    const all = [...neutron.ports.values()];
    expect(all).toHaveLength(2);
    expect(all.map((p) => [p.deviceId, p.deviceOwner, p.bindingHost, p.securityGroupIds])).toEqual(
      Array(2).fill([server.id, 'compute:nova', 'h2', ['web-id']]),
    );
  });

  it('of the user are bound, unbound and kept; those made here are deleted', async () => {
    const network = neutron.addNetwork();
    const own = neutron.addPort({ networkId: network });
    const server = serverWith({ requestedNetworks: [{ portId: own.id }, { networkId: network }] });
    const nics = await ports.ensurePorts(ctx, server, 'h1');
    expect(nics.map((n) => n.preexisting)).toEqual([true, false]);
    expect(neutron.ports.get(own.id)).toMatchObject({ deviceId: server.id, bindingHost: 'h1' });
    expect(await ports.listOwned(ctx)).toHaveLength(2);
    await ports.releasePorts(ctx, server);
    await ports.releasePorts(ctx, server);
    expect([...neutron.ports.values()]).toMatchObject([{ id: own.id, deviceId: '', deviceOwner: '', bindingHost: '' }]);
    expect(await ports.listByDevice(ctx, server.id)).toEqual([]);
  });

  it('of another server are refused', async () => {
    const taken = neutron.addPort({ networkId: neutron.addNetwork(), deviceId: 'other' });
    await expect(
      ports.ensurePorts(ctx, serverWith({ requestedNetworks: [{ portId: taken.id }] }), 'h1'),
    ).rejects.toMatchObject({ kind: 'conflict', code: 'network.port_in_use' });
  });

  it('are none, one, or a question when left to us', async () => {
    const auto = serverWith({ requestedNetworks: 'auto' });
    expect(await ports.ensurePorts(ctx, auto, 'h1')).toEqual([]);
    const shared = neutron.addNetwork({ shared: true, projectId: 'p9' });
    neutron.addNetwork({ external: true });
    expect(await ports.ensurePorts(ctx, auto, 'h1')).toMatchObject([{ networkId: shared }]);
    const own = neutron.addNetwork();
    expect(await ports.ensurePorts(ctx, serverWith({ requestedNetworks: 'auto' }), 'h1')).toMatchObject([
      { networkId: own },
    ]);
    neutron.addNetwork();
    await expect(ports.ensurePorts(ctx, auto, 'h1')).rejects.toMatchObject({ code: 'network.ambiguous' });
  });

  it('name a security group that does not exist', async () => {
    const server = serverWith({ requestedNetworks: [{ networkId: neutron.addNetwork() }], securityGroups: ['nosuch'] });
    await expect(ports.ensurePorts(ctx, server, 'h1')).rejects.toThrow('Security group nosuch not found.');
  });
});
