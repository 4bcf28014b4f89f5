import { Servers, useCloud } from '@fractus/testing';

describe('flavors without local disk', () => {
  const cloud = useCloud({ hosts: 1 });
  const flavor = (id: string, disks: object = {}) =>
    cloud().admin.compute.post('/flavors', { flavor: { name: id, id, ram: 64, vcpus: 1, disk: 0, ...disks } });
  const specs = (id: string, extra_specs: Record<string, string>, version = '2.104') =>
    cloud().admin.compute.post(`/flavors/${id}/os-extra_specs`, { extra_specs }, { version });
  const forbidden = { 'fractus:local_disk': 'forbidden' };

  it('take an image on the host only from those whom the zero-disk rule lets', async () => {
    await flavor('zero');
    const refused = await new Servers(cloud().demo).request({ server: { flavorRef: 'zero' } });
    expect([refused.status, refused.body.forbidden.message]).toEqual([
      403,
      'Only volume-backed servers are allowed for flavors with zero disk.',
    ]);
    const operators = new Servers(cloud().admin);
    await operators.delete(await operators.boot({ server: { flavorRef: 'zero' } }));
  });

  it('can forbid every disk on the host, to everybody, at once', async () => {
    await flavor('diskless');
    expect((await specs('diskless', forbidden)).status).toBe(200);
    for (const user of [cloud().demo, cloud().admin]) {
      const { status, body } = await new Servers(user).request({ server: { flavorRef: 'diskless' } });
      expect([status, body.badRequest.message]).toEqual([
        400,
        'Flavor diskless forbids local disks: a server of it must boot from a volume.',
      ]);
      expect(body.badRequest.fractus.code).toBe('flavor.local_disk');
    }
    // allowed again, the rule of upstream is the one that counts
    expect((await specs('diskless', { 'fractus:local_disk': 'allowed' })).status).toBe(200);
    expect((await new Servers(cloud().demo).request({ server: { flavorRef: 'diskless' } })).status).toBe(403);
  });

  it('have none themselves, in any microversion', async () => {
    await flavor('rooted', { disk: 1 });
    await flavor('swapping', { swap: 128 });
    await flavor('asking');
    expect((await specs('asking', { 'resources:DISK_GB': '3' })).status).toBe(200);
    for (const version of ['2.1', '2.104'])
      for (const [id, named] of [
        ['rooted', 'disk 1'],
        ['swapping', 'swap 128'],
        ['asking', 'resources:DISK_GB=3'],
      ] as const) {
        const { status, body } = await specs(id, forbidden, version);
        expect([status, body.badRequest.message]).toEqual([400, expect.stringContaining(named)]);
      }
    expect((await specs('asking', { 'fractus:local_disk': 'perhaps' }, '2.1')).status).toBe(400);
    expect((await specs('asking', { 'fractus:no_such_thing': '1' })).status).toBe(400);
  });
});
