import { ServersWorld } from './servers-world';

describe('lists of servers', () => {
  let world: ServersWorld;
  let gone: string;
  beforeAll(async () => {
    world = await ServersWorld.start();
    await world.made({ name: 'mine' });
    await world.made({ name: 'theirs' }, { as: 'ann:p2' });
    gone = await world.made({ name: 'gone' });
    await world.put(gone, { vm_state: 'deleted', deleted: 1, task_state: null });
  });
  afterAll(async () => {
    expect(world.api.schemaFaults).toEqual([]);
    await world.close();
  });

  const admin = { as: 'admin:admin' };
  const refused = async (query: string, ask: object = admin): Promise<[number, string]> => {
    const { status, body } = await world.api.get(`/v2.1/servers${query}`, { as: 'joe:p1', version: '2.104', ...ask });
    return [status, (Object.values(body)[0] as { message: string }).message];
  };

  it('name a project only together with all tenants', async () => {
    expect(await world.names('?project_id=p2', admin)).toEqual([]);
    expect(await world.names('?tenant_id=p2', { as: 'admin:p1' })).toEqual(['mine']);
    expect(await world.names('?all_tenants=1&project_id=p2', admin)).toEqual(['theirs']);
    expect(await world.names('?all_tenants&tenant_id=p2', admin)).toEqual(['theirs']);
    expect(await world.names('?all_tenants=0&tenant_id=p2', { as: 'admin:p1' })).toEqual(['mine']);
    expect((await refused('?all_tenants=1', { as: 'joe:p1' }))[0]).toBe(403);
    expect((await refused('?all_tenants=perhaps'))[0]).toBe(400);
  });

  it('pass over filters that are not for everybody', async () => {
    expect(await world.names('?display_name=nothing')).toEqual(['mine']);
    expect(await world.names('?display_name=nothing', { as: 'admin:p1' })).toEqual([]);
    expect(await world.names('?hostname=nothing', { version: '2.89' })).toEqual(['mine']);
    expect(await world.names('?hostname=nothing', { version: '2.90' })).toEqual([]);
  });

  it('refuse administrators what filters nothing', async () => {
    for (const key of ['metadata', 'services', 'system_metadata', '_x'])
      expect(await refused(`?${key}=a`)).toEqual([400, `Invalid filter field: ${key}.`]);
    expect(await world.names('?metadata=a')).toEqual(['mine']);
  });

  it('show deleted servers to administrators', async () => {
    expect(await refused('?status=DELETED', { as: 'joe:p1' })).toEqual([
      403,
      'Only administrators may list deleted instances',
    ]);
    expect(await world.names('?status=DELETED', { as: 'admin:p1' })).toEqual(['gone']);
    expect(await world.names('?status=DELETED&status=BUILD')).toEqual(['mine']);
    for (const bound of ['changes-since=2020-01-01T00:00:00Z', 'changes-before=2100-01-01T00:00:00Z'])
      expect(await world.names(`?${bound}`)).toEqual(['gone', 'mine']);
    expect(await world.names('?deleted=false&changes-before=2100-01-01T00:00:00Z', { as: 'admin:p1' })).toEqual([
      'mine',
    ]);
  });

  it('take locked as a word that means yes or no', async () => {
    expect(await world.names('?locked=false')).toEqual(['mine']);
    expect((await refused('?locked=perhaps', { as: 'joe:p1' }))[0]).toBe(400);
    expect(await world.names('?locked=perhaps', { version: '2.72' })).toEqual(['mine']);
  });

  it('are sorted by place for administrators only', async () => {
    for (const key of ['host', 'node']) {
      expect(await refused(`?sort_key=${key}`, { as: 'joe:p1' })).toEqual([
        403,
        `Only administrators can sort servers by ${key}`,
      ]);
      expect(await world.names(`?sort_key=${key}`, { as: 'admin:p1' })).toEqual(['mine']);
    }
  });

  it('take sort keys without effect until 2.74', async () => {
    expect(await world.names('?sort_key=user_data', { version: '2.74' })).toEqual(['mine']);
    expect((await refused('?sort_key=user_data', { version: '2.75' }))[0]).toBe(400);
  });
});
