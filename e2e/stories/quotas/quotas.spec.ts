import { covers, everythingIsGone, Servers, useCloud } from '@fractus/testing';

describe('quotas', () => {
  const cloud = useCloud({ hosts: 2 });
  let demo: Servers;
  let project: string;
  beforeAll(async () => {
    demo = new Servers(cloud().demo);
    project = await cloud().demo.projectId();
  });
  const set = (quota_set: object, query = '') =>
    cloud().admin.compute.put(`/os-quota-sets/${project}${query}`, { quota_set });
  const used = async () => {
    const { instances, cores, ram } = (await cloud().demo.compute.get(`/os-quota-sets/${project}/detail`)).body
      .quota_set;
    return [instances.in_use, cores.in_use, ram.in_use];
  };

  it('refuse the server too many, with the sentence, and take it when one has gone', async () => {
    await set({ instances: 2 });
    const ids = [await demo.boot(), await demo.boot()];
    const { status, body } = await demo.request();
    expect([status, body.forbidden.message]).toEqual([
      403,
      'Quota exceeded for instances: Requested 1, but already used 2 of 2 instances',
    ]);
    await demo.delete(ids.pop()!);
    ids.push(await demo.boot());
    expect(await used()).toEqual([2, 2, 256]);
    await demo.delete(...ids);
    expect(await used()).toEqual([0, 0, 0]);
  });

  it('name every resource that is exceeded', async () => {
    await set({ instances: 5, cores: 1, ram: 100 });
    const { body } = await demo.request();
    expect(body.forbidden.message).toMatch(/^Quota exceeded for ram: Requested 128/);
    await set({ cores: 0 });
    expect((await demo.request()).body.forbidden.message).toMatch(/cores, ram/);
    await set({ cores: 20, ram: 51200 });
  });

  it('hold for one of many that come at once', async () => {
    await set({ instances: 3 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => demo.request()));
    expect(answers.map((a) => a.status).sort()).toEqual([202, 202, 202, 403, 403, 403, 403, 403, 403, 403]);
    await demo.delete(...answers.filter((a) => a.status === 202).map((a) => a.body.server.id));
    await everythingIsGone(cloud(), [project]);
  });

  it('count an ERROR server until it is deleted', async () => {
    const id = await demo.create({ server: { metadata: { 'sim:fail_spawn': 'always' } } });
    await demo.becomes(id, 'ERROR');
    expect(await used()).toEqual([1, 1, 128]);
    await demo.delete(id);
    expect(await used()).toEqual([0, 0, 0]);
  });

  it('can be a user’s own, within the project’s', async () => {
    const user = await cloud().demo.userId();
    await set({ instances: 3 });
    expect((await set({ instances: 1 }, `?user_id=${user}`)).body.quota_set.instances).toBe(1);
    const id = await demo.boot();
    expect((await demo.request()).status).toBe(403);
    const other = new Servers(await cloud().newUser({ name: 'colleague', project: 'demo' }));
    await other.delete(await other.boot());
    await demo.delete(id);
    expect((await cloud().admin.compute.delete(`/os-quota-sets/${project}?user_id=${user}`)).status).toBe(202);
  });

  it('go back to the defaults, which an operator sets', async () => {
    expect((await cloud().admin.compute.delete(`/os-quota-sets/${project}`)).status).toBe(202);
    expect((await cloud().demo.compute.get(`/os-quota-sets/${project}`)).body.quota_set.instances).toBe(10);
    const { compute } = cloud().admin;
    expect(
      (await compute.put('/os-quota-class-sets/default', { quota_class_set: { instances: 7 } })).body.quota_class_set
        .instances,
    ).toBe(7);
    expect((await compute.get('/os-quota-class-sets/default')).body.quota_class_set.instances).toBe(7);
    expect((await compute.get(`/os-quota-sets/${project}/defaults`)).body.quota_set.instances).toBe(7);
    expect((await cloud().demo.compute.get('/limits')).body.limits.absolute).toMatchObject({
      maxTotalInstances: 7,
      totalInstancesUsed: 0,
    });
  });

  it('are an operator’s to change', async () => {
    expect(
      (await cloud().demo.compute.put(`/os-quota-sets/${project}`, { quota_set: { instances: 100 } })).status,
    ).toBe(403);
    expect((await cloud().demo.compute.get(`/os-quota-sets/${await cloud().admin.projectId()}`)).status).toBe(403);
    expect((await cloud().demo.compute.get(`/limits?tenant_id=${await cloud().admin.projectId()}`)).status).toBe(403);
  });

  covers(cloud, [
    'GET /os-quota-sets/{id}',
    'GET /os-quota-sets/{id}/detail',
    'GET /os-quota-sets/{id}/defaults',
    'PUT /os-quota-sets/{id}',
    'DELETE /os-quota-sets/{id}',
    'GET /os-quota-class-sets/{id}',
    'PUT /os-quota-class-sets/{id}',
    'GET /limits',
  ]);
});
