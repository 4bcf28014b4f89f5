import { QuotaUsagesRepository } from '@fractus/compute-db';
import { ApiUnderTest } from '../api-under-test';

const NETWORK = ['fixed_ips', 'floating_ips', 'security_groups', 'security_group_rules'];
const FILES = ['injected_files', 'injected_file_content_bytes', 'injected_file_path_bytes'];

describe('quotas and limits', () => {
  let api: ApiUnderTest;
  beforeEach(async () => void (api = await ApiUnderTest.start({ quota: { instances: 5 } })));
  afterEach(async () => {
    expect(api.schemaFaults).toEqual([]);
    await api.close();
  });

  const use = (projectId: string, userId: string, instances: number): Promise<void> => {
    const usages = new QuotaUsagesRepository(api.database);
    return api.database.transaction((tx) =>
      usages.claim(tx, projectId, userId, { instances, cores: instances, ram: 10 }),
    );
  };

  it('show each version the resources that it knows', async () => {
    const keys = async (path: string, version: string): Promise<string[]> =>
      Object.keys(Object.values((await api.get(path, { version })).body)[0] as object);
    for (const part of ['', '/detail', '/defaults']) {
      const path = `/v2.1/os-quota-sets/p1${part}`;
      expect(await keys(path, '2.1')).toEqual(
        expect.arrayContaining([...NETWORK, ...FILES, 'id', 'cores', 'server_groups']),
      );
      expect(await keys(path, '2.35')).toEqual(expect.arrayContaining(NETWORK));
      for (const gone of NETWORK) expect(await keys(path, '2.36')).not.toContain(gone);
      expect(await keys(path, '2.56')).toEqual(expect.arrayContaining(FILES));
      for (const gone of FILES) expect(await keys(path, '2.57')).not.toContain(gone);
    }
    const path = '/v2.1/os-quota-class-sets/default';
    expect(await keys(path, '2.49')).not.toContain('server_groups');
    expect(await keys(path, '2.49')).toEqual(expect.arrayContaining(NETWORK));
    expect(await keys(path, '2.50')).toContain('server_groups');
    for (const gone of NETWORK) expect(await keys(path, '2.50')).not.toContain(gone);
  });

  it('fall from user to project to default class to configuration', async () => {
    const cores = async (query = ''): Promise<number> =>
      (await api.get(`/v2.1/os-quota-sets/p1${query}`)).body.quota_set.cores;
    expect(await cores()).toBe(20);
    await api.put('/v2.1/os-quota-class-sets/default', { quota_class_set: { cores: 40 } });
    expect(await cores()).toBe(40);
    expect((await api.put('/v2.1/os-quota-sets/p1', { quota_set: { cores: '30' } })).body.quota_set).toMatchObject({
      cores: 30,
      instances: 5,
    });
    expect(await cores()).toBe(30);
    await api.put('/v2.1/os-quota-sets/p1?user_id=joe', { quota_set: { cores: 10 } });
    expect([await cores(), await cores('?user_id=joe'), await cores('?user_id=ann')]).toEqual([30, 10, 30]);
    expect((await api.get('/v2.1/os-quota-sets/p1/defaults')).body.quota_set.cores).toBe(40);
    expect((await api.delete('/v2.1/os-quota-sets/p1?user_id=joe')).status).toBe(202);
    expect([await cores(), await cores('?user_id=joe')]).toEqual([30, 30]);
    await api.delete('/v2.1/os-quota-sets/p1');
    expect(await cores()).toBe(40);
  });

  it('show what is used, and are not set below it unless forced', async () => {
    await use('p1', 'joe', 3);
    expect((await api.get('/v2.1/os-quota-sets/p1/detail')).body.quota_set.instances).toEqual({
      limit: 5,
      in_use: 3,
      reserved: 0,
    });
    const set = async (quota_set: object): Promise<number> =>
      (await api.put('/v2.1/os-quota-sets/p1', { quota_set })).status;
    expect(await set({ instances: 2 })).toBe(400);
    expect(await set({ instances: 2, force: 'True' })).toBe(200);
    expect(await set({ instances: -1 })).toBe(200);
    expect(await set({ instances: -2 })).toBe(400);
    expect(await set({ nope: 1 })).toBe(400);
    const above = await api.put('/v2.1/os-quota-sets/p1?user_id=joe', { quota_set: { cores: 21 } });
    expect(above).toMatchObject({
      status: 400,
      body: { badRequest: { message: expect.stringContaining('cores must be less than or equal to 20') } },
    });
  });

  it('are a project’s own to see and an operator’s to set', async () => {
    const ask = { as: 'joe:p1' };
    expect((await api.get('/v2.1/os-quota-sets/p1', ask)).status).toBe(200);
    expect((await api.get('/v2.1/os-quota-sets/p2', ask)).status).toBe(403);
    expect((await api.put('/v2.1/os-quota-sets/p1', { quota_set: { cores: 1 } }, ask)).status).toBe(403);
    expect((await api.put('/v2.1/os-quota-class-sets/default', { quota_class_set: { cores: 1 } }, ask)).status).toBe(
      403,
    );
  });

  it('are told as limits', async () => {
    await use('p1', 'joe', 2);
    const limits = async (version: string, query = '', as = 'joe:p1'): Promise<Record<string, number>> =>
      (await api.get(`/v2.1/limits${query}`, { version, as })).body.limits?.absolute;
    expect(await limits('2.1')).toMatchObject({
      maxTotalInstances: 5,
      totalInstancesUsed: 2,
      totalCoresUsed: 2,
      totalRAMUsed: 10,
      maxImageMeta: 128,
      maxSecurityGroups: -1,
      maxPersonality: 5,
      maxTotalKeypairs: 100,
    });
    expect(await limits('2.36')).not.toHaveProperty('maxSecurityGroups');
    expect(await limits('2.38')).toHaveProperty('maxImageMeta');
    expect(await limits('2.39')).not.toHaveProperty('maxImageMeta');
    expect(await limits('2.56')).toHaveProperty('maxPersonality');
    expect(await limits('2.57')).not.toHaveProperty('maxPersonality');
    expect((await api.get('/v2.1/limits?tenant_id=p1', { as: 'joe:p2' })).status).toBe(403);
    expect(await limits('2.104', '?tenant_id=p1', 'admin:admin')).toMatchObject({ totalInstancesUsed: 2 });
    expect((await api.get('/v2.1/limits?x=1', { version: '2.74' })).status).toBe(200);
    expect((await api.get('/v2.1/limits?x=1', { version: '2.75' })).status).toBe(400);
  });
});
