import type { Database } from '@fractus/database';
import type { HostState } from '@fractus/rpc-contracts';
import { eachDatabase } from '@fractus/database/testing';
import { COMPUTE_SCHEMA, HostsRepository, HypervisorsRepository, ServicesRepository } from './index';

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const host = (n: number, more: Partial<HostState> = {}): HostState => ({
  host: `h${n}`,
  node: `node_${n}.example`,
  nodeId: id(n),
  hypervisorType: 'simulated',
  hypervisorVersion: 1,
  hostIp: '10.0.0.1',
  vcpus: 8,
  memoryMb: 1024,
  diskGb: 100,
  vcpusUsed: 2,
  memoryMbUsed: 512,
  diskGbUsed: 10,
  runningGuests: 1,
  ioOps: 0,
  failedBuilds: 0,
  cpuInfo: '{}',
  architecture: 'x86_64',
  capabilities: {},
  traits: [],
  uptimeSeconds: 60,
  ...more,
});

eachDatabase('hypervisors and services', (open) => {
  let db: Database;
  let hypervisors: HypervisorsRepository;
  let services: ServicesRepository;
  beforeEach(async () => {
    db = await open(COMPUTE_SCHEMA);
    hypervisors = new HypervisorsRepository(db);
    services = new ServicesRepository(db);
    let n = 100;
    const hosts = new HostsRepository(db);
    await hosts.register(
      { agentId: 'a', incarnation: 1, serviceVersion: 1 },
      [1, 2, 3].map((i) => host(i)),
      () => id(n++),
      1000,
    );
  });
  afterEach(() => db.close());

  it('are paged in order, each with its service', async () => {
    const first = await hypervisors.page({ limit: 2 });
    expect(first.map((h) => [h.host, h.service.disabled])).toEqual([['h1', false], ['h2', false]]); // prettier-ignore
    expect((await hypervisors.page({ after: first[1]!.rowId })).map((h) => h.host)).toEqual(['h3']);
    expect((await hypervisors.find({ id: id(2) }))?.rowId).toBe(first[1]!.rowId);
    expect((await hypervisors.find({ rowId: first[0]!.rowId }))?.nodeId).toBe(id(1));
    expect(await hypervisors.find({ id: id(9) })).toBeNull();
  });

  it('keep their uuid: a host that an agent without its folder brings anew is refused, and says how it is freed', async () => {
    const hosts = new HostsRepository(db);
    const agent = { agentId: 'b', incarnation: 2, serviceVersion: 1 };
    const [service] = await hosts.services({ host: 'h2' });
    await expect(hosts.register(agent, [host(2, { nodeId: id(7) })], () => id(200), 2000)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'host.other_node',
      message: expect.stringContaining(service!.id),
    });
    await expect(hosts.register(agent, [host(9, { nodeId: id(2) })], () => id(201), 2000)).rejects.toMatchObject({
      code: 'host.node_taken',
    });
    expect((await hypervisors.page({ limit: 9 })).map((h) => h.nodeId)).toEqual([id(1), id(2), id(3)]);
    expect(await hosts.register(agent, [host(2)], () => id(202), 2000)).toHaveLength(1);
  });

  it('are found by a part of the hostname, wildcards taken as they are', async () => {
    expect((await hypervisors.search('_2')).map((h) => h.host)).toEqual(['h2']);
    expect(await hypervisors.search('%')).toEqual([]);
    expect(await hypervisors.search('e!')).toEqual([]);
    expect((await hypervisors.search('NODE_3.Ex')).map((h) => h.host)).toEqual(['h3']);
  });

  it('are summed where their service is enabled', async () => {
    const [service] = await new HostsRepository(db).services({ host: 'h1' });
    await new HostsRepository(db).updateService(service!.id, { disabled: true }, 2000);
    expect(await hypervisors.statistics()).toEqual({
      count: 2,
      vcpus: 16,
      vcpusUsed: 4,
      memoryMb: 2048,
      memoryMbUsed: 1024,
      diskGb: 200,
      diskGbUsed: 20,
      runningGuests: 2,
      ioOps: 0,
    });
    await db.transaction((tx) => tx.execute('DELETE FROM services'));
    expect(await hypervisors.statistics()).toMatchObject({ count: 0, vcpus: 0 });
    expect(await hypervisors.page()).toEqual([]);
  });

  it('go together when the service is deleted', async () => {
    const [service] = await new HostsRepository(db).services({ host: 'h2' });
    expect(await services.nodeIdsOf('h2')).toEqual([id(2)]);
    await services.delete(service!);
    expect(await services.find({ id: service!.id })).toBeNull();
    expect(await hypervisors.find({ id: id(2) })).toBeNull();
    expect((await hypervisors.page()).map((h) => h.host)).toEqual(['h1', 'h3']);
  });
});
