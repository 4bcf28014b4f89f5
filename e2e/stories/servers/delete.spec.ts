import { eventually, everythingIsGone, readBooks, Servers, useCloud } from '@fractus/testing';

describe('deleting a server', () => {
  const cloud = useCloud({ hosts: 2 });
  let demo: Servers;
  beforeAll(() => (demo = new Servers(cloud().demo)));
  const nothingLeft = async () => everythingIsGone(cloud(), [await cloud().demo.projectId()]);

  it.each([
    ['while its host is busy with it', { 'sim:hang_spawn': 'alive' }],
    ['while its host has fallen silent', { 'sim:hang_spawn': 'stalled' }],
    ['as soon as it is asked for', {}],
  ])('%s converges', async (_when, metadata) => {
    const id = await demo.create({ server: { metadata, networks: 'auto' } });
    if (Object.keys(metadata).length)
      await eventually('the host has begun', async () => {
        const { 'OS-EXT-STS:task_state': task } = await demo.show(id);
        return task === 'spawning' ? true : `task ${task}`;
      });
    await demo.delete(id);
    await nothingLeft();
  });

  it('in ERROR works, and gives everything back', async () => {
    const id = await demo.create({ server: { metadata: { 'sim:fail_spawn': 'always' }, networks: 'auto' } });
    await demo.becomes(id, 'ERROR');
    await demo.delete(id);
    await nothingLeft();
  });

  it.each([
    ['paused', { pause: null }, 'PAUSED'],
    ['suspended', { suspend: null }, 'SUSPENDED'],
    ['stopped', { 'os-stop': null }, 'SHUTOFF'],
  ])('works while it is %s', async (_state, body, status) => {
    const id = await demo.boot({ server: { networks: 'auto' } });
    await demo.perform(id, body, status);
    await demo.delete(id);
    await nothingLeft();
  });

  it('cuts into an action that hangs', async () => {
    const id = await demo.boot({ server: { metadata: { 'sim:hang_stop': 'alive' } } });
    expect((await demo.act(id, { 'os-stop': null })).status).toBe(202);
    await demo.delete(id);
    await nothingLeft();
  });

  it('a second time while it goes is no error, and afterwards 404', async () => {
    const id = await demo.boot({ server: { metadata: { 'sim:delay_destroy': '0.3' } } });
    const del = () => cloud().demo.compute.delete(`/servers/${id}`);
    expect((await del()).status).toBe(204);
    expect((await del()).status).toBe(204);
    await demo.gone(id);
    const again = await del();
    expect([again.status, again.body.itemNotFound.message]).toEqual([404, `Instance ${id} could not be found.`]);
  });

  it('that the hypervisor refuses ends in ERROR with the reason, and can be asked for again', async () => {
    const id = await demo.boot({ server: { metadata: { 'sim:fail_destroy': '3' } } });
    expect((await cloud().demo.compute.delete(`/servers/${id}`)).status).toBe(204);
    const server = await demo.becomes(id, 'ERROR');
    expect(server.fault.message).toBeTruthy();
    await demo.delete(id);
    await nothingLeft();
    expect((await readBooks(cloud())).doubles).toEqual([]);
  });
});
