import { randomUUID } from 'node:crypto';
import { Servers, TestCloud } from '@fractus/testing';
import { run } from './world';

describe('placement audit', () => {
  let cloud: TestCloud;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    // what conductors put right by themselves must not be put right before the audit sees it
    cloud = await TestCloud.start({ hosts: 2, env: { FRACTUS_CONDUCTOR_RECONCILE_SECONDS: '0' } });
    await cloud.newUser({ name: 'auditor', project: 'admin', role: 'admin' });
    env = {
      ...{ OS_AUTH_URL: `${cloud.urls.identity}/v3`, OS_USERNAME: 'auditor', OS_PASSWORD: 'secret-of-auditor' },
      OS_PROJECT_NAME: 'admin',
    };
  }, 120_000);
  afterAll(() => cloud?.close(), 60_000);

  const version = '1.39';
  const placement = (method: string, path: string, body?: unknown) =>
    cloud.admin.placement.call(method, path, body, { version });
  const allocations = async (id: string) => (await placement('GET', `/allocations/${id}`)).body;
  const write = async (id: string, allocations: object, more: object = {}): Promise<void> => {
    const body = {
      ...{ allocations, consumer_generation: null, project_id: 'p', user_id: 'u' },
      ...{ consumer_type: 'INSTANCE', ...more },
    };
    const { status, body: answer } = await placement('PUT', `/allocations/${id}`, body);
    if (status !== 204) throw new Error(JSON.stringify(answer));
  };
  const look = async (args: string[] = [], wait: () => Promise<void> = async () => undefined) => {
    const ran = await run(['--json', 'audit', ...args], env, { wait });
    const { findings } = ran.json() as { findings: { kind: string; id: string; fixed?: boolean; why?: string }[] };
    return { code: ran.code, found: findings.map(({ kind, id }) => `${kind} ${id}`), findings };
  };

  it('finds what does not fit, of all projects, and removes what is proven orphan', async () => {
    const servers = new Servers(cloud.demo);
    const [good, bare, astray] = [await servers.boot(), await servers.boot(), await servers.boot()];
    expect((await look()).found).toEqual([]);
    const holding = await allocations(bare);
    const [node = ''] = Object.keys(holding.allocations);
    await write(bare, {}, { ...holding, allocations: {} });
    const held = await allocations(astray);
    const { body: all } = await placement('GET', '/resource_providers?required=COMPUTE_NODE');
    const nodes = all.resource_providers.map((p: { uuid: string }) => p.uuid);
    const other = nodes.find((uuid: string) => !(uuid in held.allocations));
    const resources = { resources: { VCPU: 1 } };
    await write(astray, { ...held.allocations, [other]: resources }, { ...held, allocations: { ...held.allocations, [other]: resources }, project_id: 'elsewhere' }); // prettier-ignore
    const gold = `CUSTOM_GOLD`;
    await placement('PUT', `/resource_classes/${gold}`);
    const pool = (await placement('POST', '/resource_providers', { name: 'goldmine' })).body.uuid;
    const ghost = (await placement('POST', '/resource_providers', { name: 'ghost' })).body.uuid;
    await placement('PUT', `/resource_providers/${ghost}/traits`, {
      ...{ resource_provider_generation: 0, traits: ['COMPUTE_NODE'] },
    });
    await placement('POST', `/resource_providers/${pool}/inventories`, {
      ...{ resource_provider_generation: 0, resource_class: gold, total: 9 },
    });
    const [orphan, busy, migrating, foreign] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await write(orphan, { [pool]: { resources: { [gold]: 1 } } });
    await write(busy, { [node]: resources });
    await write(migrating, { [node]: resources }, { consumer_type: 'MIGRATION' });
    await write(foreign, { [node]: resources }, { consumer_type: 'CONTAINER' });
    const orphans = [orphan, busy, migrating].map((id) => `orphan ${id}`);
    const seen = await look();
    expect(seen.found.slice(0, 3).sort()).toEqual(orphans.sort());
    expect(seen.found.slice(3)).toEqual([
      ...[`missing ${bare}`, `doubled ${astray}`, `owner ${astray}`, `hostless ${ghost}`],
    ]);
    expect(seen.code).toBe(1);
    // while it waits for its second look, somebody writes to one of them
    const { findings, code } = await look(['--fix'], async () => {
      const now = await allocations(busy);
      await write(busy, {}, { ...now, allocations: { [node]: { resources: { VCPU: 2 } } } });
    });
    const of = (id: string) => findings.find((f) => f.id === id);
    expect(of(orphan)).toMatchObject({ fixed: true });
    expect(of(busy)).toMatchObject({ fixed: false, why: 'it has been written to meanwhile' });
    expect(of(migrating)).toMatchObject({ fixed: false });
    expect(code).toBe(1);
    expect((await allocations(orphan)).allocations).toEqual({});
    for (const id of [busy, migrating, foreign, good, astray])
      expect(Object.keys((await allocations(id)).allocations)).not.toEqual([]);
  });

  it('leaves consumers of an unknown kind alone, unless told that they are of this cloud', async () => {
    const id = randomUUID();
    const { body } = await placement('GET', '/resource_providers?required=COMPUTE_NODE');
    const old = {
      allocations: { [body.resource_providers[0].uuid]: { resources: { VCPU: 1 } } },
      consumer_generation: null,
    };
    const path = `/allocations/${id}`;
    const { status } = await cloud.admin.placement.put(
      path,
      { ...old, project_id: 'p', user_id: 'u' },
      { version: '1.28' },
    );
    expect(status).toBe(204);
    const of = ({ findings }: Awaited<ReturnType<typeof look>>) => findings.find((f) => f.id === id);
    expect(of(await look(['--fix']))).toMatchObject({ fixed: false, why: expect.stringContaining('kind is unknown') });
    expect(of(await look(['--fix', '--untyped']))).toMatchObject({ fixed: true });
    expect((await allocations(id)).allocations).toEqual({});
  });

  it('says as whom it must be told to ask', async () => {
    expect(await run(['audit'])).toMatchObject({ code: 2, text: expect.stringContaining('say as whom') });
    const { code, text } = await run(['audit'], { ...env, OS_PASSWORD: 'wrong' });
    expect([code, text]).toEqual([2, expect.stringContaining('refuses the credentials')]);
  });
});
