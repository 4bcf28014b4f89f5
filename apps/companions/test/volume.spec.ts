import { eachDatabaseUrl } from '@fractus/database/testing';
import { randomUUID } from 'node:crypto';
import { CloudRig } from './cloud-rig';

interface Wire {
  [name: string]: unknown;
  id: string;
}
type Volume = { volume: Wire };
type Fault = Record<string, { code: number; message: string }>;

eachDatabaseUrl('volume', (newUrl) => {
  let cloud: CloudRig;
  beforeAll(async () => {
    cloud = await CloudRig.start(newUrl);
    const volume_type = { name: 'shared', extra_specs: { multiattach: '<is> True' } };
    await cloud.onVolume('POST', '/types', { volume_type }, { token: cloud.admin });
  });
  afterAll(() => cloud.close());

  const make = async (more: object = {}): Promise<string> => {
    const answer = await cloud.onVolume<Volume>('POST', '/volumes', { volume: { name: 'v', size: 1, ...more } });
    expect([answer.status, answer.body]).toEqual([202, expect.anything()]);
    return answer.body.volume.id;
  };
  const show = async (id: string): Promise<Wire> => (await cloud.onVolume<Volume>('GET', `/volumes/${id}`)).body.volume;
  const act = (id: string, name: string, args: unknown = {}, options = {}) =>
    cloud.onVolume('POST', `/volumes/${id}/action`, { [name]: args }, options);

  it('tells its versions to anyone, and refuses a microversion that it has not', async () => {
    const root = await fetch(`${cloud.volume.url}/`);
    expect(root.status).toBe(300);
    expect(await root.json()).toMatchObject({ versions: [{ id: 'v3.0', version: '3.71', min_version: '3.0' }] });
    const late = await cloud.onVolume<Fault>('GET', '/volumes', undefined, { version: '3.72' });
    expect([late.status, Object.keys(late.body)]).toEqual([406, ['computeFault']]);
    const old = await cloud.onVolume('GET', '/volumes', undefined, { version: '3.0' });
    expect([old.status, old.headers.get('openstack-api-version')]).toEqual([200, 'volume 3.0']);
    expect((await cloud.onVolume('GET', '/attachments', undefined, { version: '3.26' })).status).toBe(404);
    expect((await cloud.onVolume('GET', '/attachments', undefined, { version: '3.27' })).status).toBe(200);
  });

  it('takes the project in the path, the caller’s own only', async () => {
    const { demo, admin } = cloud.projects;
    expect((await cloud.onVolume('GET', `/${demo}/volumes/detail`)).status).toBe(200);
    expect((await cloud.onVolume<Fault>('GET', `/${admin}/volumes`)).body).toMatchObject({
      badRequest: { code: 400, message: 'Malformed request url' },
    });
  });

  it('makes, shows, changes, grows and deletes a volume', async () => {
    const id = await make({ metadata: { a: '1' }, description: 'one' });
    expect(await show(id)).toMatchObject({
      status: 'available',
      size: 1,
      bootable: 'false',
      multiattach: false,
      volume_type: '__DEFAULT__',
      metadata: { a: '1' },
      'os-vol-tenant-attr:tenant_id': cloud.projects.demo,
    });
    await cloud.onVolume('PUT', `/volumes/${id}`, { volume: { name: 'w' } });
    await cloud.onVolume('POST', `/volumes/${id}/metadata`, { metadata: { b: '2' } });
    expect((await cloud.onVolume('DELETE', `/volumes/${id}/metadata/a`)).status).toBe(200);
    expect((await act(id, 'os-extend', { new_size: 3 })).status).toBe(202);
    expect((await act(id, 'os-extend', { new_size: 3 })).status).toBe(400);
    expect((await act(id, 'os-set_bootable', { bootable: true })).status).toBe(200);
    expect(await show(id)).toMatchObject({ name: 'w', size: 3, metadata: { b: '2' }, bootable: 'true' });
    expect((await cloud.onVolume('DELETE', `/volumes/${id}`)).status).toBe(202);
    expect((await cloud.onVolume<Fault>('GET', `/volumes/${id}`)).body).toMatchObject({ itemNotFound: { code: 404 } });
  });

  it('pages through a list, filtered by name, status and metadata', async () => {
    const ids = new Set<string>();
    for (const i of [1, 2, 3]) ids.add(await make({ name: 'paged', metadata: { page: 'yes', n: `${i}` } }));
    const list = (query: string) =>
      cloud.onVolume<{ volumes: Wire[]; volumes_links?: { href: string }[]; count?: number }>(
        'GET',
        `/volumes${query}`,
      );
    const first = await list('?name=paged&limit=2&with_count=true');
    expect([first.body.volumes.length, first.body.count]).toEqual([2, 3]);
    const marker = new URL(first.body.volumes_links![0]!.href).search;
    const second = await list(marker);
    expect(second.body.volumes_links).toBeUndefined();
    expect(new Set([...first.body.volumes, ...second.body.volumes].map((v) => v.id))).toEqual(ids);
    const found = await list(`?metadata=${encodeURIComponent("{'n': '2'}")}&status=available`);
    expect(found.body.volumes).toHaveLength(1);
    expect((await list('?status=in-use&name=paged')).body.volumes).toEqual([]);
    expect((await list('?metadata=nonsense')).status).toBe(400);
  });

  it('makes a bootable volume of an image that fits', async () => {
    const { body } = await cloud.onImage<{ images: { id: string }[] }>('GET', '/images?name=cirros-sim');
    const imageRef = body.images[0]!.id;
    expect(await show(await make({ imageRef }))).toMatchObject({
      bootable: 'true',
      volume_image_metadata: { image_id: imageRef, image_name: 'cirros-sim', disk_format: 'raw' },
    });
    const large = { name: 'large', disk_format: 'raw', container_format: 'bare', min_disk: 5 };
    const image = (await cloud.onImage<{ id: string }>('POST', '/images', { json: large })).body.id;
    const from = (ref: string) => cloud.onVolume<Fault>('POST', '/volumes', { volume: { size: 1, imageRef: ref } });
    expect((await from(image)).body).toMatchObject({ badRequest: { message: expect.stringContaining('not active') } });
    const headers = { 'content-type': 'application/octet-stream' };
    await cloud.onImage('PUT', `/images/${image}/file`, { headers, body: 'x' });
    expect((await from(image)).body).toMatchObject({
      badRequest: { message: expect.stringContaining('minDisk size 5') },
    });
    expect((await from(randomUUID())).status).toBe(400);
  });

  it.each([
    ['no size', {}, 400],
    ['a size of nothing', { size: 0 }, 400],
    ['the removed parameter multiattach', { size: 1, multiattach: true }, 400],
    ['an unknown type', { size: 1, volume_type: 'none' }, 404],
    ['a snapshot', { size: 1, snapshot_id: randomUUID() }, 404],
    ['an unknown zone', { size: 1, availability_zone: 'mars' }, 400],
    ['metadata that is no text', { size: 1, metadata: { a: 1 } }, 400],
  ])('refuses %s', async (_what, volume, status) => {
    expect((await cloud.onVolume('POST', '/volumes', { volume })).status).toBe(status);
  });

  it('shows a project its own volumes alone', async () => {
    const id = await make({ name: 'private' });
    const named = async (query: string, token: string) =>
      (await cloud.onVolume<{ volumes: Wire[] }>('GET', `/volumes?name=private${query}`, undefined, { token })).body
        .volumes;
    expect(await named('', cloud.admin)).toEqual([]);
    expect((await named('&all_tenants=1', cloud.admin)).map((v) => v.id)).toEqual([id]);
    expect((await act(id, 'os-reset_status', { status: 'error' })).status).toBe(403);
    expect((await act(id, 'os-reset_status', { status: 'error' }, { token: cloud.admin })).status).toBe(202);
  });

  it('walks reserve, unreserve, attach and detach, each from its own states', async () => {
    const id = await make();
    const server = { instance_uuid: randomUUID(), mountpoint: '/dev/vdb' };
    expect((await act(id, 'os-unreserve')).status).toBe(400);
    expect((await act(id, 'os-reserve')).status).toBe(202);
    expect((await act(id, 'os-reserve')).status).toBe(400);
    expect((await act(id, 'os-attach', server)).status).toBe(202);
    expect(await show(id)).toMatchObject({ status: 'in-use', attachments: [{ server_id: server.instance_uuid }] });
    expect((await cloud.onVolume('DELETE', `/volumes/${id}`)).status).toBe(400);
    expect((await act(id, 'os-extend', { new_size: 2 }, { version: '3.41' })).status).toBe(400);
    expect((await act(id, 'os-extend', { new_size: 2 }, { version: '3.42' })).status).toBe(202);
    expect((await act(id, 'os-begin_detaching')).status).toBe(202);
    expect((await act(id, 'os-roll_detaching')).status).toBe(202);
    expect((await act(id, 'os-begin_detaching')).status).toBe(202);
    expect((await act(id, 'os-detach')).status).toBe(202);
    expect(await show(id)).toMatchObject({ status: 'available', attachments: [] });
    expect((await act(id, 'os-nonsense')).status).toBe(400);
  });

  it('lets one of two servers that reserve at once have it', async () => {
    const volume_uuid = await make();
    const reserve = () =>
      cloud.onVolume('POST', '/attachments', { attachment: { volume_uuid, instance_uuid: randomUUID() } });
    const answers = await Promise.all([reserve(), reserve(), reserve()]);
    expect(answers.map((a) => a.status).sort()).toEqual([200, 400, 400]);
  });

  it('completes an attachment only after its host has told a connector', async () => {
    const volume_uuid = await make();
    const made = await cloud.onVolume<{ attachment: Wire }>('POST', '/attachments', { attachment: { volume_uuid } });
    const path = `/attachments/${made.body.attachment.id}`;
    const complete = (version: string) => cloud.onVolume('POST', `${path}/action`, { 'os-complete': {} }, { version });
    expect((await complete('3.44')).status).toBe(400);
    const updated = await cloud.onVolume('PUT', path, { attachment: { connector: { host: 'h' } } });
    expect(updated.body).toMatchObject({ attachment: { status: 'attaching' } });
    expect((await complete('3.43')).status).toBe(404);
    expect((await complete('3.44')).status).toBe(204);
    expect((await cloud.onVolume('GET', path)).body).toMatchObject({ attachment: { status: 'attached' } });
    expect((await cloud.onVolume('DELETE', path)).body).toEqual({ attachments: [] });
    expect(await show(volume_uuid)).toMatchObject({ status: 'available' });
  });

  it('has types that the administrator makes, and that cannot change under their volumes', async () => {
    const types = (method: string, path: string, json?: unknown, token = cloud.admin) =>
      cloud.onVolume<{ volume_type: Wire; volume_types: Wire[] }>(method, `/types${path}`, json, { token });
    expect((await types('POST', '', { volume_type: { name: 'x' } }, cloud.demo)).status).toBe(403);
    const body = {
      volume_type: { name: 'fast', extra_specs: { tier: 'ssd' }, 'os-volume-type-access:is_public': false },
    };
    const { id } = (await types('POST', '', body)).body.volume_type;
    expect((await types('POST', '', body)).status).toBe(409);
    const seen = async (token: string) =>
      (await types('GET', '', undefined, token)).body.volume_types.map((t) => t['name']);
    expect(await seen(cloud.demo)).toEqual(['__DEFAULT__', 'shared']);
    await types('POST', `/${id}/action`, { addProjectAccess: { project: cloud.projects.demo } });
    expect(await seen(cloud.demo)).toEqual(['__DEFAULT__', 'fast', 'shared']);
    expect((await types('GET', `/${id}`, undefined, cloud.demo)).body.volume_type).toMatchObject({ extra_specs: {} });
    expect((await types('POST', `/${id}/extra_specs`, { extra_specs: { multiattach: '<is> True' } })).status).toBe(200);
    const volume = await make({ volume_type: 'fast' });
    expect(await show(volume)).toMatchObject({ multiattach: true, volume_type: 'fast' });
    expect((await types('DELETE', `/${id}/extra_specs/multiattach`)).status).toBe(400);
    expect((await types('DELETE', `/${id}`)).status).toBe(400);
    await cloud.onVolume('DELETE', `/volumes/${volume}`);
    expect((await types('DELETE', `/${id}`)).status).toBe(202);
    const standard = (await types('GET', '/default')).body.volume_type;
    expect((await types('DELETE', `/${standard.id}`)).status).toBe(400);
  });
});
