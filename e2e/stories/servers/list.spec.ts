import fc from 'fast-check';
import { covers, Servers, useCloud } from '@fractus/testing';

interface Page {
  servers: { id: string; name: string }[];
  servers_links?: { href: string }[];
}

describe('lists of servers', () => {
  const cloud = useCloud({
    hosts: 3,
    env: { FRACTUS_COMPUTE_API_QUOTA_INSTANCES: '100', FRACTUS_COMPUTE_API_QUOTA_CORES: '100' },
  });
  let demo: Servers;
  let admin: Servers;
  const ids: Record<string, string> = {};
  const names = (list: { name: string }[]) => list.map((s) => s.name).sort();
  const list = async (query: string, version = '2.104', who = cloud().demo) => {
    const answer = await who.compute.get(`/servers/detail?${query}`, { version });
    expect(answer.status).toBe(200);
    return names(answer.body.servers);
  };
  let started: string;

  beforeAll(async () => {
    demo = new Servers(cloud().demo);
    admin = new Servers(cloud().admin);
    started = new Date().toISOString();
    const all: [string, Record<string, unknown>][] = [
      ['alpha', { tags: ['one', 'two'], description: 'first', availability_zone: 'nova' }],
      ['beta', { tags: ['two'], networks: 'auto', metadata: { role: 'db' } }],
      ['gamma', { tags: ['three'], flavorRef: '84', config_drive: true }],
      ['delta', { metadata: { 'sim:fail_spawn': 'always' } }],
    ];
    for (const [name, server] of all) ids[name] = await demo.create({ version: '2.104', server: { ...server, name } });
    for (const name of ['alpha', 'beta', 'gamma']) await demo.becomes(ids[name]!, 'ACTIVE');
    await demo.becomes(ids.delta!, 'ERROR');
    await demo.perform(ids.gamma!, { 'os-stop': null }, 'SHUTOFF');
    ids.others = await admin.boot({ server: { name: 'others' } });
    ids.gone = await admin.boot({ server: { name: 'gone' } });
    await admin.delete(ids.gone);
    await demo.act(ids.beta!, { lock: null });
  });

  it.each([
    ['', ['alpha', 'beta', 'delta', 'gamma']],
    ['name=alpha', ['alpha']],
    ['name=a$', ['alpha', 'beta', 'delta', 'gamma']],
    ['name=^(al|be)', ['alpha', 'beta']],
    ['status=ACTIVE', ['alpha', 'beta']],
    ['status=active&status=SHUTOFF', ['alpha', 'beta', 'gamma']],
    ['status=ERROR', ['delta']],
    ['vm_state=stopped', ['gamma']],
    ['flavor=84', ['gamma']],
    ['tags=two', ['alpha', 'beta']],
    ['tags=one,two', ['alpha']],
    ['tags-any=one,three', ['alpha', 'gamma']],
    ['not-tags=two', ['delta', 'gamma']],
    ['not-tags-any=one,three', ['beta', 'delta']],
    ['power_state=1', ['alpha', 'beta']],
    ['locked=true', ['beta']],
    ['locked=false', ['alpha', 'delta', 'gamma']],
    ['config_drive=true', ['gamma']],
    ['availability_zone=nova', ['alpha']],
    ['reservation_id=r-none', []],
    ['status=ACTIVE&name=beta', ['beta']],
  ])('by %s', async (query, found) => {
    expect(await list(query)).toEqual(found);
  });

  it('by image, address, instants', async () => {
    expect(await list(`image=${await demo.imageId()}`)).toHaveLength(4);
    const [address] = (await demo.show(ids.beta!)).addresses.private;
    expect(await list(`ip=${address.addr.replace(/\./g, '\\.')}$`)).toEqual(['beta']);
    expect(await list(`changes-since=${started}`)).toHaveLength(4);
    expect(await list(`changes-since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    expect(await list(`changes-before=${started}`)).toEqual([]);
    const crossed = await cloud().demo.compute.get(
      `/servers?changes-since=${new Date().toISOString()}&changes-before=${started}`,
      { version: '2.66' },
    );
    expect(crossed.status).toBe(400);
  });

  it('by status that is none: nothing before 2.38, refused from then on', async () => {
    expect(await list('status=NONSENSE', '2.37')).toEqual([]);
    expect((await cloud().demo.compute.get('/servers?status=NONSENSE', { version: '2.38' })).status).toBe(400);
  });

  it('by what is not known: forgiven before 2.75, refused from then on', async () => {
    expect(await list('colour=blue', '2.74')).toHaveLength(4);
    expect((await cloud().demo.compute.get('/servers?colour=blue', { version: '2.75' })).status).toBe(400);
  });

  it('by a broken pattern, sort key or limit: 400', async () => {
    for (const query of [
      'name=(',
      'sort_key=nonsense',
      'limit=x',
      'limit=-1',
      'changes-since=yesterday',
      'marker=11111111-2222-3333-4444-555555555555',
    ])
      expect([query, (await cloud().demo.compute.get(`/servers?${query}`, { version: '2.104' })).status]).toEqual([
        query,
        400,
      ]);
  });

  it('of all projects are an administrator’s', async () => {
    expect(await list('all_tenants=1', '2.1', cloud().admin)).toEqual(['alpha', 'beta', 'delta', 'gamma', 'others']);
    expect(await list('', '2.1', cloud().admin)).toEqual(['others']);
    const { status, body } = await cloud().demo.compute.get('/servers?all_tenants=1');
    expect([status, body.forbidden.message]).toEqual([
      403,
      "Policy doesn't allow os_compute_api:servers:index:get_all_tenants to be performed.",
    ]);
    const project = await cloud().demo.projectId();
    expect(await list(`all_tenants=1&project_id=${project}`, '2.1', cloud().admin)).toEqual([
      'alpha',
      'beta',
      'delta',
      'gamma',
    ]);
  });

  it('of deleted servers are an administrator’s; whoever asks since an instant sees what was deleted', async () => {
    expect(await list('deleted=true', '2.1', cloud().admin)).toEqual(['gone']);
    expect(await list('deleted=true')).toEqual(['alpha', 'beta', 'delta', 'gamma']);
    const changed = await cloud().admin.compute.get(`/servers/detail?changes-since=${started}`);
    expect(changed.body.servers.find((s: { id: string }) => s.id === ids.gone)).toMatchObject({ status: 'DELETED' });
    expect((await cloud().demo.compute.get('/servers?status=DELETED')).status).toBe(403);
  });

  it('by host are an administrator’s; a user’s filter is dropped', async () => {
    const { 'OS-EXT-SRV-ATTR:host': host } = await admin.show(ids.alpha!);
    const found = await list(`all_tenants=1&host=${host}`, '2.1', cloud().admin);
    expect(found).toContain('alpha');
    for (const s of found) expect((await admin.show(ids[s]!))['OS-EXT-SRV-ATTR:host']).toBe(host);
    expect(await list('host=nowhere', '2.1')).toHaveLength(4);
  });

  it('are sorted as asked, newest first if not', async () => {
    const sorted = async (query: string) =>
      (await cloud().demo.compute.get(`/servers?${query}`)).body.servers.map((s: { name: string }) => s.name);
    expect(await sorted('')).toEqual(['delta', 'gamma', 'beta', 'alpha']);
    expect(await sorted('sort_key=display_name&sort_dir=asc')).toEqual(['alpha', 'beta', 'delta', 'gamma']);
    expect(await sorted('sort_key=vm_state&sort_dir=asc&sort_key=display_name&sort_dir=desc')).toEqual([
      'beta',
      'alpha',
      'delta',
      'gamma',
    ]);
  });

  it('visit each server once, whatever the page size, order and filter', async () => {
    const every = ['alpha', 'beta', 'delta', 'gamma'];
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom(
          'created_at',
          'display_name',
          'vm_state',
          'launched_at',
          'task_state',
          'uuid',
          'locked',
          'updated_at',
        ),
        fc.constantFrom('asc', 'desc'),
        fc.constantFrom('', '&detail'),
        async (limit, key, dir, kind) => {
          const seen: string[] = [];
          let path: string | undefined =
            `/servers${kind ? '/detail' : ''}?limit=${limit}&sort_key=${key}&sort_dir=${dir}`;
          while (path && seen.length <= every.length) {
            const page: Page = (await cloud().demo.compute.get(path)).body;
            seen.push(...page.servers.map((s) => s.name));
            path = page.servers_links?.[0]?.href.replace(/^.*\/v2\.1/, '');
          }
          expect([...seen].sort()).toEqual(every);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('keep the query in the link to the next page', async () => {
    const { body } = await cloud().demo.compute.get('/servers?limit=1&status=ACTIVE&name=a');
    const next = new URL(body.servers_links[0].href);
    expect(Object.fromEntries(next.searchParams)).toEqual({
      limit: '1',
      status: 'ACTIVE',
      name: 'a',
      marker: body.servers[0].id,
    });
    expect((await cloud().demo.compute.get('/servers?limit=0')).body).toEqual({ servers: [] });
  });

  covers(cloud, ['GET /servers', 'GET /servers/detail']);
});
