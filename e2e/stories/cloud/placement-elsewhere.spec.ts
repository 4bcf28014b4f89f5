import {
  ApiClient,
  everythingIsGone,
  noUpstreamPlacement,
  readBooks,
  Servers,
  startUpstreamPlacement,
  TestCloud,
  type CloudUser,
  type UpstreamPlacement,
} from '@fractus/testing';

const VERSION = { version: '1.39' };

interface Elsewhere {
  cloud: TestCloud;
  /** The cloud's administrator, whose Placement is the one elsewhere. */
  admin: CloudUser;
}

function describeCloud(started: () => Elsewhere): void {
  const kept = () => ({ admin: started().admin, ledger: () => started().cloud.ledger() });
  const providers = async (query = ''): Promise<string[]> => {
    const { body } = await started().admin.placement.get(`/resource_providers${query}`, VERSION);
    return (body.resource_providers as { name: string }[]).map((p) => p.name).sort();
  };

  it('has its hosts there', async () => {
    expect(await providers()).toEqual(['host-1', 'host-2', 'host-3']);
    expect(await providers('?required=COMPUTE_NODE&resources=VCPU:1,MEMORY_MB:64,DISK_GB:1')).toHaveLength(3);
  });

  it('boots servers whose claims are there, and gives them back', async () => {
    const { cloud, admin } = started();
    const demo = new Servers(cloud.demo);
    const ids = await Promise.all([demo.boot(), demo.boot(), demo.boot({ server: { networks: 'auto' } })]);
    const project = await cloud.demo.projectId();
    const { consumers, doubles } = await readBooks(kept());
    expect([...consumers].sort()).toEqual([...ids].sort());
    expect(doubles).toEqual([]);
    const { body } = await admin.placement.get(`/allocations/${ids[0]}`, VERSION);
    expect(body).toMatchObject({ project_id: project, consumer_type: 'INSTANCE' });
    expect(Object.values(body.allocations)).toMatchObject([{ resources: { VCPU: 1, MEMORY_MB: 128, DISK_GB: 1 } }]);
    await demo.delete(...ids);
    await everythingIsGone(kept(), [project]);
  });

  it('says that no host is good enough, and holds nothing for it', async () => {
    const { cloud } = started();
    const demo = new Servers(cloud.demo);
    const flavor = { flavor: { name: 'vast', vcpus: 9000, ram: 64, disk: 1 } };
    const { body } = await started().admin.compute.post('/flavors', flavor);
    const project = await cloud.demo.projectId();
    const quota = { quota_set: { cores: -1 } };
    await started().admin.compute.put(`/os-quota-sets/${project}`, quota);
    const id = await demo.create({ server: { flavorRef: body.flavor.id } });
    expect((await demo.becomes(id, 'ERROR')).fault.message).toMatch(/No valid host/);
    await demo.delete(id);
    await everythingIsGone(kept(), [project]);
  });

  it('tells it of host aggregates', async () => {
    const { admin } = started();
    const made = await admin.compute.post('/os-aggregates', { aggregate: { name: 'there' } }, { version: '2.41' });
    const { id, uuid } = made.body.aggregate as { id: number; uuid: string };
    const act = (body: object) => admin.compute.post(`/os-aggregates/${id}/action`, body);
    await act({ add_host: { host: 'host-2' } });
    expect(await providers(`?member_of=${uuid}`)).toEqual(['host-2']);
    await act({ remove_host: { host: 'host-2' } });
    expect(await providers(`?member_of=${uuid}`)).toEqual([]);
  });

  it('is ready while it answers', async () => {
    const checks = await started().cloud.cloud.ready();
    const placement = checks.filter((c) => c.part.endsWith(': placement'));
    expect(placement.map((c) => [c.part, c.ok]).sort()).toEqual(
      ['compute-agent', 'compute-api', 'conductor', 'scheduler'].map((name) => [`${name}: placement`, true]),
    );
  });
}

describe('a cloud that asks our Placement over REST', () => {
  let started: Elsewhere;
  beforeAll(async () => {
    const cloud = await TestCloud.start({ env: { FRACTUS_PLACEMENT_ENDPOINT: 'catalog' } });
    started = { cloud, admin: cloud.admin };
  }, 120_000);
  afterAll(() => started?.cloud.close(), 60_000);

  describeCloud(() => started);

  it('asks nothing of it over RPC', async () => {
    const metrics = await (await fetch(`${started.cloud.urls.placement}/metrics`)).text();
    expect(metrics).toContain('method="scheduler.selectDestinations"');
    expect(metrics).not.toContain('method="placement.');
  });
});

const missing = noUpstreamPlacement();
(missing === null ? describe : describe.skip)(
  `a cloud on upstream's Placement${missing ? ` (${missing})` : ''}`,
  () => {
    let upstream: UpstreamPlacement;
    let started: Elsewhere;
    beforeAll(async () => {
      upstream = await startUpstreamPlacement();
      const { url } = upstream;
      const env = { FRACTUS_PLACEMENT_ENDPOINT: url, FRACTUS_PLACEMENT_TOKEN: 'admin' };
      const cloud = await TestCloud.start({ env });
      const placement = new ApiClient({ url, service: 'placement', token: async () => 'admin' });
      const admin = Object.create(cloud.admin, { placement: { value: placement } }) as CloudUser;
      started = { cloud, admin };
    }, 180_000);
    afterAll(async () => {
      await started?.cloud.close();
      await upstream?.close();
    }, 60_000);

    describeCloud(() => started);

    it('leaves its own Placement empty', async () => {
      const { body } = await started.cloud.admin.placement.get('/resource_providers', VERSION);
      expect(body.resource_providers).toEqual([]);
    });

    it('is not ready any more when it is gone', async () => {
      await upstream.close();
      const checks = await started.cloud.cloud.ready();
      expect(checks).toContainEqual({
        part: 'scheduler: placement',
        ok: false,
        why: expect.stringContaining('placement cannot be reached'),
      });
    });
  },
);
