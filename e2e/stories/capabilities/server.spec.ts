import { covers, Servers, useCloud } from '@fractus/testing';

/* eslint-disable @typescript-eslint/no-explicit-any -- stories read whatever the wire brings */

describe('what a server is capable of', () => {
  const cloud = useCloud({ hosts: 3 });
  let demo: Servers;
  let admin: Servers;
  let id: string;
  beforeAll(async () => {
    demo = new Servers(cloud().demo);
    admin = new Servers(cloud().admin);
    id = await demo.boot();
  });
  const of = async (query = '', who = cloud().demo, version = '2.104'): Promise<any> =>
    (await who.compute.get(`/servers/${id}/capabilities${query}`, { version })).body.capabilities;
  const possible = async (): Promise<string[]> => {
    const { actions } = await of();
    return Object.keys(actions).filter((name) => actions[name].available);
  };

  it('follows it through stop and start', async () => {
    expect(await possible()).toEqual(['delete', 'os-stop', 'reboot', 'pause', 'suspend', 'lock', 'unlock']);
    expect((await of()).actions['os-stop']).toEqual({
      available: true,
      meanwhile: { status: 'ACTIVE', vm_state: 'active', task_state: 'powering-off' },
      then: { status: 'SHUTOFF', vm_state: 'stopped', task_state: null },
    });
    await demo.perform(id, { 'os-stop': null }, 'SHUTOFF');
    expect(await possible()).toEqual(['delete', 'os-start', 'reboot', 'lock', 'unlock']);
    const { reboot, 'os-stop': stop } = (await of()).actions;
    expect([reboot.variants.SOFT.available, reboot.variants.HARD.available]).toEqual([false, true]);
    expect(stop).toEqual({
      available: false,
      reasons: [
        {
          code: 'state.vm_state',
          message: `Cannot 'stop' instance ${id} while it is in vm_state stopped`,
          have: 'stopped',
          need: ['active', 'error'],
          retryable: false,
        },
      ],
    });
    const answer = await demo.act(id, { 'os-stop': null });
    expect([answer.status, answer.body.conflictingRequest.message]).toEqual([409, stop.reasons[0].message]);
    await demo.perform(id, { 'os-start': null }, 'ACTIVE');
  });

  it('follows its lock, which holds its owner and not an administrator', async () => {
    await demo.act(id, { lock: null });
    expect(await possible()).toEqual(['lock', 'unlock']);
    expect((await of('?action=stop')).actions['os-stop'].reasons).toMatchObject([{ code: 'locked', retryable: true }]);
    expect((await of('', cloud().admin)).actions['os-stop'].available).toBe(true);
    await admin.act(id, { unlock: null });
    await admin.act(id, { lock: null });
    expect((await of()).actions.unlock.reasons).toMatchObject([
      { code: 'policy', rule: 'os_compute_api:os-lock-server:unlock:unlock_override' },
    ]);
    await admin.act(id, { unlock: null });
  });

  it('is told to readers as theirs: they may do nothing', async () => {
    const demos = await cloud().demo.projectId();
    const { body } = await cloud().admin.identity.get('/projects');
    const project = body.projects.find((p: any) => p.id === demos).name as string;
    const reader = await cloud().newUser({ name: 'reader', project, role: 'reader' });
    const { actions } = await of('', reader);
    expect(Object.values<any>(actions).some((a) => a.available)).toBe(false);
    expect(actions.pause.reasons[0]).toMatchObject({ code: 'policy', rule: 'os_compute_api:os-pause-server:pause' });
    expect((await reader.compute.post(`/servers/${id}/action`, { pause: null })).status).toBe(403);
  });

  it('answers for one action, and for one form of it', async () => {
    expect(Object.keys((await of('?action=stop&action=resize&flavorRef=1')).actions)).toEqual(['os-stop', 'resize']);
    expect((await of('?action=reboot&type=HARD')).actions.reboot).toMatchObject({
      available: true,
      meanwhile: { status: 'HARD_REBOOT' },
    });
    expect((await of('?action=resize&flavorRef=1')).actions.resize.reasons).toMatchObject([
      { code: 'action.not_built' },
    ]);
  });

  it.each([
    ['?action=dance', /^action: 'dance' is none of/],
    ['?action=', /action/],
    ['?action=stop&type=HARD', /^type goes with action=reboot/],
    ['?action=reboot&type=LUKEWARM', /type/],
    ['?verbose=1', /verbose/],
  ])('%s is 400 and names what is wrong', async (query, message) => {
    const { status, body } = await cloud().demo.compute.get(`/servers/${id}/capabilities${query}`);
    expect([status, body.badRequest.message]).toEqual([400, expect.stringMatching(message)]);
  });

  it('shows the host to who may see it', async () => {
    const { host } = await of('', cloud().admin);
    expect(host).toEqual({
      id_hash: expect.any(String),
      status: 'UP',
      name: expect.any(String),
      traits: expect.any(Array),
    });
    expect(host.traits).toContain('COMPUTE_IMAGE_TYPE_RAW');
    expect((await of()).host).toEqual({ id_hash: host.id_hash });
    expect((await of()).reported_at).toMatch(/^\d{4}-.*Z$/);
  });

  it('names the flag and the trait of what its driver lacks', async () => {
    const { features } = await of();
    expect(features.attach_volume_multiattach).toMatchObject({
      available: false,
      capability: 'supports_multiattach',
      trait: 'COMPUTE_VOLUME_MULTI_ATTACH',
    });
    expect(features.attach_volume_multiattach.reasons[0]).toMatchObject({
      code: 'driver.unsupported',
      trait: 'COMPUTE_VOLUME_MULTI_ATTACH',
      have: false,
    });
  });

  it('is nobody else’s affair', async () => {
    const other = await cloud().newUser({ name: 'other' });
    for (const [who, path] of [
      [other, id],
      [cloud().demo, '11111111-2222-3333-4444-555555555555'],
      [cloud().demo, 'not-a-uuid'],
    ] as const) {
      const { status, body } = await who.compute.get(`/servers/${path}/capabilities`);
      expect([status, body.itemNotFound.message]).toEqual([404, `Instance ${path} could not be found.`]);
    }
  });

  it('has a tag that holds as long as what it says', async () => {
    const get = (tag?: string) =>
      cloud().demo.compute.get(`/servers/${id}/capabilities`, {
        version: '2.104',
        headers: tag === undefined ? {} : { 'if-none-match': tag },
      });
    const tag = (await get()).headers.get('etag')!;
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    for (const given of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const { status, body, headers } = await get(given);
      expect([given, status, body, headers.get('etag')]).toEqual([given, 304, null, tag]);
    }
    await demo.act(id, { lock: null });
    expect((await get(tag)).status).toBe(200);
    await demo.act(id, { unlock: null });
  });

  covers(cloud, ['GET /servers/{server_id}/capabilities']);
});
