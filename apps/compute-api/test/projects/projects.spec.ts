import { forbidden, unavailable } from '@fractus/objects';
import { ApiUnderTest, type Reply } from '../api-under-test';

const NO_PROJECT = (id: string): unknown => ({
  status: 400,
  body: { badRequest: { message: `Project ID ${id} is not a valid project.` } },
});

describe('ids of projects', () => {
  let api: ApiUnderTest;
  const asked: string[] = [];
  /** Identity knows p1, may not be asked about `secret`, and says nothing about `silent`. */
  const projectExists = async (_ctx: unknown, id: string): Promise<boolean> => {
    asked.push(id);
    if (id === 'secret') throw forbidden('not for you', { code: 'identity.forbidden' });
    if (id === 'silent') throw unavailable('nobody is there', { code: 'identity.unavailable' });
    return id === 'p1';
  };
  beforeAll(async () => void (api = await ApiUnderTest.start({}, { identity: { projectExists } })));
  beforeEach(() => void (asked.length = 0));
  afterAll(() => api.close());

  it.each([
    ['show', (id: string) => api.get(`/v2.1/os-quota-sets/${id}`)],
    ['detail', (id: string) => api.get(`/v2.1/os-quota-sets/${id}/detail`)],
    ['defaults', (id: string) => api.get(`/v2.1/os-quota-sets/${id}/defaults`)],
    ['update', (id: string) => api.put(`/v2.1/os-quota-sets/${id}`, { quota_set: { cores: 3 } })],
  ])('are looked up for the quota %s, and believed where identity cannot say', async (_, ask) => {
    expect(await ask('nobody')).toMatchObject(NO_PROJECT('nobody') as object);
    for (const id of ['p1', 'secret', 'silent']) expect((await ask(id)).status).toBe(200);
  });

  it('are not looked up when quotas are reset, nor for the own project, nor before policy', async () => {
    expect((await api.delete('/v2.1/os-quota-sets/nobody')).status).toBe(202);
    expect((await api.get('/v2.1/os-quota-sets/p7', { as: 'joe:p7' })).status).toBe(200);
    expect((await api.get('/v2.1/os-quota-sets/nobody', { as: 'joe:p7' })).status).toBe(403);
    expect(asked).toEqual([]);
  });

  it('are looked up before a flavor is given to one, not when it is taken back', async () => {
    const id = 'private-one';
    const flavor = { id, name: id, ram: 64, vcpus: 1, disk: 1, 'os-flavor-access:is_public': false };
    await api.post('/v2.1/flavors', { flavor });
    const act = (action: string, tenant: string): Promise<Reply> =>
      api.post(`/v2.1/flavors/${id}/action`, { [action]: { tenant } });
    expect(await act('addTenantAccess', 'nobody')).toMatchObject(NO_PROJECT('nobody') as object);
    expect((await act('addTenantAccess', 'p1')).status).toBe(200);
    expect((await act('removeTenantAccess', 'nobody')).status).toBe(404);
  });
});
