import { eachDatabaseUrl } from '@fractus/database/testing';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { CloudRig } from './cloud-rig';

interface Image {
  id: string;
  name: string;
  status: string;
  size: number | null;
  checksum: string | null;
  owner: string;
  tags: string[];
  [name: string]: unknown;
}
const PATCH = { 'content-type': 'application/openstack-images-v2.1-json-patch' };
const DATA = { 'content-type': 'application/octet-stream' };

eachDatabaseUrl('image', (newUrl) => {
  let cloud: CloudRig;
  beforeAll(async () => {
    cloud = await CloudRig.start(newUrl);
  });
  afterAll(() => cloud.close());

  const make = async (more: object = {}, token = cloud.demo): Promise<Image> => {
    const json = { name: 'img', disk_format: 'raw', container_format: 'bare', ...more };
    const answer = await cloud.onImage<Image>('POST', '/images', { json, token });
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    return answer.body;
  };
  const upload = (id: string, bytes: Buffer, token = cloud.demo) =>
    cloud.onImage('PUT', `/images/${id}/file`, { headers: DATA, body: bytes as unknown as RequestInit['body'], token });
  const show = async (id: string, token = cloud.demo): Promise<Image> =>
    (await cloud.onImage<Image>('GET', `/images/${id}`, { token })).body;
  const patch = (id: string, json: unknown, token = cloud.demo) =>
    cloud.onImage<Image>('PATCH', `/images/${id}`, { json, headers: PATCH, token });
  const list = async (query: string, token = cloud.demo): Promise<string[]> =>
    (await cloud.onImage<{ images: Image[] }>('GET', `/images?${query}`, { token })).body.images.map((i) => i.name);

  it('starts with a public image that has bytes', async () => {
    const { body } = await cloud.onImage<{ images: Image[] }>('GET', '/images?name=cirros-sim');
    expect(body.images).toMatchObject([
      { status: 'active', visibility: 'public', size: 2 ** 20, owner: cloud.projects.admin },
    ]);
  });

  it('takes bytes in and gives the same back, with their checksums', async () => {
    const image = await make({ min_ram: 64, hw_disk_bus: 'virtio' });
    expect(image).toMatchObject({
      status: 'queued',
      visibility: 'shared',
      size: null,
      hw_disk_bus: 'virtio',
      file: `/v2/images/${image.id}/file`,
    });
    expect((await cloud.onImage('GET', `/images/${image.id}/file`)).status).toBe(204);
    const bytes = Buffer.alloc(3 * 2 ** 20, 'fractus');
    expect((await upload(image.id, bytes)).status).toBe(204);
    const stored = await show(image.id);
    expect(stored).toMatchObject({
      status: 'active',
      size: bytes.length,
      checksum: createHash('md5').update(bytes).digest('hex'),
      os_hash_algo: 'sha512',
      os_hash_value: createHash('sha512').update(bytes).digest('hex'),
    });
    const response = await fetch(`${cloud.image.url}/v2/images/${image.id}/file`, {
      headers: { 'x-auth-token': cloud.demo },
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect(response.headers.get('content-md5')).toBe(stored.checksum);
    const part = await fetch(`${cloud.image.url}/v2/images/${image.id}/file`, {
      headers: { 'x-auth-token': cloud.demo, range: 'bytes=7-13' },
    });
    expect([part.status, await part.text()]).toEqual([206, 'fractus']);
    expect((await upload(image.id, bytes)).status).toBe(409);
  });

  it('stays queued after an upload that breaks off or is too long, and leaves no bytes behind', async () => {
    const image = await make();
    const files = () => readdirSync(join(cloud.rig.folder, 'images')).length;
    const before = files();
    expect((await upload(image.id, Buffer.alloc(5 * 2 ** 20))).status).toBe(413);
    expect((await show(image.id)).status).toBe('queued');
    const { hostname, port } = new URL(cloud.image.url);
    const socket = connect(Number(port), hostname);
    const head = `PUT /v2/images/${image.id}/file HTTP/1.1\r\nHost: x\r\nX-Auth-Token: ${cloud.demo}\r\nContent-Type: ${DATA['content-type']}\r\nContent-Length: 100000\r\n\r\n`;
    socket.write(`${head}only this`);
    while ((await show(image.id)).status !== 'saving');
    socket.destroy();
    while ((await show(image.id)).status !== 'queued');
    expect(files()).toBe(before);
    expect((await upload(image.id, Buffer.from('now'))).status).toBe(204);
  });

  it('asks for formats before bytes, and for the right media type', async () => {
    const image = await make({ disk_format: null });
    expect((await upload(image.id, Buffer.from('x'))).status).toBe(400);
    expect((await cloud.onImage('PUT', `/images/${image.id}/file`, { json: {} })).status).toBe(415);
    expect((await cloud.onImage('POST', '/images', { json: { disk_format: 'floppy' } })).status).toBe(400);
    expect((await cloud.onImage('POST', '/images', { json: { status: 'active' } })).status).toBe(403);
    expect((await cloud.onImage('POST', '/images', { json: { answer: 42 } })).status).toBe(400);
  });

  it('is changed by patches', async () => {
    const image = await make({ colour: 'red' });
    const changed = await patch(image.id, [
      { op: 'replace', path: '/name', value: 'other' },
      { op: 'add', path: '/os_distro', value: 'debian' },
      { op: 'remove', path: '/colour' },
      { op: 'replace', path: '/tags', value: ['a', 'b'] },
    ]);
    expect(changed.body).toMatchObject({ name: 'other', os_distro: 'debian', tags: ['a', 'b'] });
    expect(changed.body).not.toHaveProperty('colour');
    const statuses = await Promise.all([
      patch(image.id, [{ op: 'replace', path: '/status', value: 'active' }]),
      patch(image.id, [{ op: 'remove', path: '/name' }]),
      patch(image.id, [{ op: 'remove', path: '/colour' }]),
      patch(image.id, [{ op: 'replace', path: '/visibility', value: 'public' }]),
      patch(image.id, [{ op: 'move', path: '/name', from: '/x' }]),
      patch(image.id, { name: 'x' }),
      cloud.onImage('PATCH', `/images/${image.id}`, { json: [] }),
    ]);
    expect(statuses.map((a) => a.status)).toEqual([403, 403, 409, 403, 400, 400, 415]);
  });

  it('is seen by whom it is open to', async () => {
    const hidden = await make({ name: 'secret', visibility: 'private' }, cloud.admin);
    const shared = await make({ name: 'lent', visibility: 'shared' }, cloud.admin);
    const community = await make({ name: 'offered', visibility: 'community' }, cloud.admin);
    const reach = async (id: string) => (await cloud.onImage('GET', `/images/${id}`)).status;
    expect([await reach(hidden.id), await reach(shared.id), await reach(community.id)]).toEqual([404, 404, 200]);
    const members = `/images/${shared.id}/members`;
    const added = await cloud.onImage('POST', members, { json: { member: cloud.projects.demo }, token: cloud.admin });
    expect(added.body).toMatchObject({ status: 'pending', member_id: cloud.projects.demo });
    expect([await reach(shared.id), await list('name=lent'), await list('name=lent&member_status=pending')]).toEqual([
      200,
      [],
      ['lent'],
    ]);
    await cloud.onImage('PUT', `${members}/${cloud.projects.demo}`, { json: { status: 'accepted' } });
    expect([
      await list('name=lent'),
      await list('name=offered'),
      await list('name=offered&visibility=community'),
    ]).toEqual([['lent'], [], ['offered']]);
    expect((await cloud.onImage('DELETE', `/images/${shared.id}`)).status).toBe(403);
    expect((await patch(shared.id, [{ op: 'replace', path: '/name', value: 'mine' }])).status).toBe(403);
  });

  it('is not given away while deactivated, nor removed while protected', async () => {
    const image = await make({ protected: true });
    await upload(image.id, Buffer.from('data'));
    expect((await cloud.onImage('POST', `/images/${image.id}/actions/deactivate`)).status).toBe(403);
    expect((await cloud.onImage('POST', `/images/${image.id}/actions/deactivate`, { token: cloud.admin })).status).toBe(
      204,
    );
    expect((await cloud.onImage('GET', `/images/${image.id}/file`)).status).toBe(403);
    await cloud.onImage('POST', `/images/${image.id}/actions/reactivate`, { token: cloud.admin });
    expect((await cloud.onImage('GET', `/images/${image.id}/file`)).status).toBe(200);
    expect((await cloud.onImage('DELETE', `/images/${image.id}`)).status).toBe(403);
    await patch(image.id, [{ op: 'replace', path: '/protected', value: false }]);
    expect((await cloud.onImage('DELETE', `/images/${image.id}`)).status).toBe(204);
    const gone = await cloud.onImage<string>('GET', `/images/${image.id}`);
    expect([gone.status, gone.body]).toEqual([404, expect.stringContaining('<title>404 Not Found</title>')]);
    const asJson = await cloud.onImage('GET', `/images/${image.id}`, { headers: { accept: 'application/json' } });
    expect(asJson.body).toEqual({
      code: '404 Not Found',
      title: 'Not Found',
      message: `No image found with ID ${image.id}`,
    });
  });

  it('is listed in order, in pages, by properties and tags', async () => {
    for (const name of ['b', 'd', 'a', 'c'])
      await make({ name, series: 'letters', tags: [name === 'a' ? 'first' : 'later'] });
    expect(await list('series=letters&sort=name:asc')).toEqual(['a', 'b', 'c', 'd']);
    expect(await list('series=letters')).toEqual(['c', 'a', 'd', 'b']);
    expect(await list('tag=first&series=letters')).toEqual(['a']);
    expect(await list('name=in:a,b&series=letters&sort=name:desc')).toEqual(['b', 'a']);
    const first = await cloud.onImage<{ images: Image[]; next: string }>(
      'GET',
      '/images?series=letters&sort=name:asc&limit=3',
    );
    const second = await cloud.onImage<{ images: Image[]; next?: string }>('GET', first.body.next.slice('/v2'.length));
    expect([second.body.images.map((i) => i.name), second.body.next]).toEqual([['d'], undefined]);
    for (const bad of [
      'limit=x',
      'marker=nope',
      'sort=nope:asc',
      'sort=name:up',
      'visibility=odd',
      'protected=maybe',
      'size_min=-1',
      'created_at=gt:then',
    ]) {
      expect([bad, (await cloud.onImage('GET', `/images?${bad}`)).status]).toEqual([bad, 400]);
    }
  });

  it('keeps its bytes over a restart', async () => {
    const image = await make();
    await upload(image.id, Buffer.from('kept'));
    await cloud.image.close();
    await cloud.network.close();
    await cloud.volume.close();
    await cloud.open();
    const again = await fetch(`${cloud.image.url}/v2/images/${image.id}/file`, {
      headers: { 'x-auth-token': cloud.demo },
    });
    expect(await again.text()).toBe('kept');
  });
});
