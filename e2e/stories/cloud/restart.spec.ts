import { readBooks, Servers, useCloud } from '@fractus/testing';

describe('a cloud that is stopped and started again', () => {
  const cloud = useCloud({ hosts: 2 });

  it('keeps servers, tokens, images, ports, flavors, limits and hosts', async () => {
    const demo = new Servers(cloud().demo);
    const active = await demo.boot({ server: { networks: 'auto' } });
    const stopped = await demo.boot();
    await demo.perform(stopped, { 'os-stop': null }, 'SHUTOFF');
    const failed = await demo.create({ server: { metadata: { 'sim:fail_spawn': 'always' } } });
    await demo.becomes(failed, 'ERROR');
    const project = await cloud().demo.projectId();
    await cloud().admin.compute.post('/flavors', { flavor: { name: 'kept', id: 'kept', ram: 64, vcpus: 1, disk: 1 } });
    await cloud().admin.compute.put(`/os-quota-sets/${project}`, { quota_set: { instances: 4 } });
    const image = await cloud().demo.image.post('/images', {
      name: 'kept',
      disk_format: 'raw',
      container_format: 'bare',
    });
    await cloud().demo.image.call(
      'PUT',
      `/images/${image.body.id}/file`,
      { some: 'bytes' },
      { headers: { 'content-type': 'application/octet-stream' } },
    );
    const token = await cloud().demo.authenticate();
    const before = {
      books: await readBooks(cloud(), [project]),
      server: await demo.show(active),
      hypervisors: (await cloud().admin.compute.get('/os-hypervisors', { version: '2.53' })).body.hypervisors.map(
        (h: { id: string }) => h.id,
      ),
    };

    await cloud().restart();

    expect(await cloud().demo.authenticate()).toBe(token);
    expect(await demo.show(active)).toEqual(before.server);
    expect((await demo.show(stopped)).status).toBe('SHUTOFF');
    expect((await demo.show(failed)).status).toBe('ERROR');
    expect(await readBooks(cloud(), [project])).toEqual(before.books);
    expect((await cloud().demo.image.get(`/images/${image.body.id}/file`)).body).toEqual({ some: 'bytes' });
    expect((await cloud().demo.compute.get('/flavors/kept')).status).toBe(200);
    expect(
      (await cloud().admin.compute.get('/os-hypervisors', { version: '2.53' })).body.hypervisors.map(
        (h: { id: string }) => h.id,
      ),
    ).toEqual(before.hypervisors);

    await demo.perform(stopped, { 'os-start': null }, 'ACTIVE');
    const next = await demo.boot();
    expect((await demo.request()).status).toBe(403);
    await demo.delete(active, stopped, failed, next);
  });

  it('finishes what was under way', async () => {
    const demo = new Servers(cloud().demo);
    const building = await demo.create({ server: { metadata: { 'sim:delay_spawn': '1' } } });
    const leaving = await demo.boot({ server: { metadata: { 'sim:delay_destroy': '1' } } });
    await cloud().demo.compute.delete(`/servers/${leaving}`);
    await cloud().restart();
    await demo.becomes(building, 'ACTIVE');
    await demo.gone(leaving);
    expect((await readBooks(cloud())).doubles).toEqual([]);
    await demo.delete(building);
  });
});
