import { covers, eventually, readBooks, Servers, useCloud } from '@fractus/testing';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a story reads whatever the wire brings
type Wire = any;

describe('a request for a place', () => {
  const cloud = useCloud({ hosts: 3 });
  let demo: Servers;
  let admin: Servers;
  let flavors: Record<string, string>;
  beforeAll(async () => {
    demo = new Servers(cloud().demo);
    admin = new Servers(cloud().admin);
    const project = await cloud().demo.projectId();
    await cloud().admin.compute.put(`/os-quota-sets/${project}`, { quota_set: { ram: -1, cores: -1, instances: -1 } });
    flavors = { big: await flavor('big', 200_000, 1) };
  });
  const flavor = async (name: string, ram: number, vcpus: number): Promise<string> =>
    (await cloud().admin.compute.post('/flavors', { flavor: { name, ram, vcpus, disk: 1 } })).body.flavor.id;

  const info = async (id: string, who = cloud().demo, query = ''): Promise<Wire> =>
    (await who.compute.get(`/servers/${id}/os-schedule-info${query}`)).body;
  const ask = (body: object, who = cloud().demo) =>
    who.compute.post('/os-schedule-dry-run', body, { version: '2.104' }) as Promise<{ status: number; body: Wire }>;
  const dry = async (server: object = {}, who = cloud().demo, beside: Record<string, unknown> = {}): Promise<Wire> => {
    const { status, body } = await ask(await demo.body({ server: { ...server }, beside }), who);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body.schedule_dry_run;
  };
  const services = async (): Promise<{ id: string; host: string; status: string }[]> =>
    (await cloud().admin.compute.get('/os-services?binary=nova-compute', { version: '2.53' })).body.services;
  /** Takes these hosts out of scheduling or back into it, and waits until the scheduler knows. */
  const setServices = async (status: 'enabled' | 'disabled', hosts: readonly string[]): Promise<void> => {
    for (const { id, host } of await services())
      if (hosts.includes(host)) await cloud().admin.compute.put(`/os-services/${id}`, { status }, { version: '2.53' });
    const open = (await services()).filter((s) => s.status === 'enabled').map((s) => s.host);
    await eventually('the scheduler knows', async () => {
      const fit = (await dry({}, cloud().admin)).destinations.map((d: Wire) => d.host).sort();
      return fit.join() === open.sort().join() ? true : `${fit.join()} of ${open.join()}`;
    });
  };
  const ALL = ['host-1', 'host-2', 'host-3'];
  const relaxed = (answer: Wire): string[] =>
    answer.would_fit_if.map((r: { relax: string; detail: string }) => `${r.relax} ${r.detail}`).sort();

  it('that is met is told: the owner counts, the operator hosts and weights', async () => {
    const id = await demo.boot();
    const { schedule_info: seen } = await info(id);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      operation: 'create',
      outcome: 'selected',
      host_count: 3,
      request_id: expect.any(String),
    });
    expect(JSON.stringify(seen)).not.toMatch(/host-\d/);
    const host = (await admin.show(id))['OS-EXT-SRV-ATTR:host'];
    const [told] = (await info(id, cloud().admin)).schedule_info;
    expect(told).toMatchObject({ chosen: host, hosts: [], hosts_omitted: 0 });
    expect(told.weighed[0]).toMatchObject({ host, weight: expect.any(Number), parts: expect.any(Array) });
    await demo.delete(id);
    expect((await info(id, cloud().admin)).schedule_info).toHaveLength(1);
    expect((await cloud().demo.compute.get(`/servers/${id}/os-schedule-info`)).status).toBe(404);
  });

  it('for more than any host has: what is lacking where, and how much would do', async () => {
    const before = await readBooks(cloud(), [await cloud().demo.projectId()]);
    const dryRun = await dry({ flavorRef: flavors['big'] });
    expect(dryRun).toMatchObject({ outcome: 'no_valid_host', fits: false, fitting: 0 });
    expect(dryRun.summary).toMatch(/^3 hosts: 3 lack MEMORY_MB \(need 200000, best free \d+\)$/);
    expect(JSON.stringify(dryRun)).not.toMatch(/host-\d/);
    const [less] = dryRun.would_fit_if;
    expect(less).toMatchObject({ relax: 'resource', detail: 'MEMORY_MB:200000', hosts: expect.any(Number) });
    expect(await readBooks(cloud(), [await cloud().demo.projectId()])).toEqual(before);
    // what is told to help helps
    const fits = await flavor('fits', Number(/ask for (\d+)/.exec(less.sentence)?.[1]), 1);
    expect(await dry({ flavorRef: fits })).toMatchObject({ outcome: 'selected', fitting: less.hosts });

    const id = await demo.create({ server: { flavorRef: flavors['big'] } });
    const { fault } = await demo.becomes(id, 'ERROR');
    const sentence = 'No valid host was found. There are not enough hosts available. ';
    expect(fault.message).toBe(sentence + dryRun.summary);
    const [attempt] = (await info(id)).schedule_info;
    expect(attempt).toMatchObject({ outcome: 'no_valid_host', summary: dryRun.summary });
    expect(attempt.stages).toEqual(dryRun.stages);
    const [told] = (await info(id, cloud().admin)).schedule_info;
    expect(told.hosts.map((h: Wire) => [h.host, h.stage, h.code]).sort()).toEqual(
      ALL.map((host) => [host, 'placement', expect.stringMatching(/^placement\.resource\./)]),
    );
    for (const h of told.hosts) {
      expect(h).toMatchObject({ need: 200_000, have: expect.any(Number) });
      expect(h.sentence).toMatch(new RegExp(`^${h.host} .*200000.*\\.$`));
    }
    const event = await createEvent(id);
    expect(event.details).toBe(fault.message);
    await demo.delete(id);
  });

  const createEvent = async (id: string): Promise<Wire> => {
    const options = { version: '2.84' };
    const { body } = await cloud().admin.compute.get(`/servers/${id}/os-instance-actions`, options);
    const request = body.instanceActions.find((a: Wire) => a.action === 'create').request_id;
    const shown = await cloud().admin.compute.get(`/servers/${id}/os-instance-actions/${request}`, options);
    return shown.body.instanceAction.events.find((e: Wire) => e.result === 'Error');
  };

  it('in a zone that has no room: without the zone it would go', async () => {
    const { body } = await cloud().admin.compute.post('/os-aggregates', {
      aggregate: { name: 'east', availability_zone: 'east' },
    });
    const act = (action: string) =>
      cloud().admin.compute.post(`/os-aggregates/${body.aggregate.id}/action`, { [action]: { host: 'host-1' } });
    await act('add_host');
    const filler = await flavor('filler', 130_000, 1);
    const full = await demo.boot({ server: { availability_zone: 'east', flavorRef: filler } });
    let seen: Wire;
    await eventually('the zone is full', async () => {
      seen = await dry({ availability_zone: 'east', flavorRef: filler });
      return seen.fits ? 'not yet' : true;
    });
    expect(seen).toMatchObject({ outcome: 'no_valid_host' });
    expect(relaxed(seen)).toContain('availability_zone east');
    expect(await dry({ flavorRef: filler })).toMatchObject({ outcome: 'selected', fitting: 2 });
    await demo.delete(full);
    await act('remove_host');
    await cloud().admin.compute.delete(`/os-aggregates/${body.aggregate.id}`);
  });

  it('while all hosts are disabled: operators are told which to enable, users that they are', async () => {
    await setServices('disabled', ALL);
    const seen = await dry();
    expect(seen).toMatchObject({ outcome: 'no_valid_host', summary: '3 hosts: 3 disabled', would_fit_if: [] });
    expect(relaxed(await dry({}, cloud().admin))).toEqual(ALL.map((h) => `enable_host ${h}`));
    const id = await demo.create();
    await demo.becomes(id, 'ERROR');
    expect((await info(id)).schedule_info[0]).toMatchObject({ summary: seen.summary });
    await demo.delete(id);
    await setServices('enabled', ['host-2']);
    expect((await dry()).fitting).toBe(1);
    await setServices('enabled', ALL);
  });

  it('with two reasons at once: neither alone is told as the way out, both as the cause', async () => {
    const taken = await demo.boot({ server: { flavorRef: '1' } });
    const host = (await admin.show(taken))['OS-EXT-SRV-ATTR:host'];
    const others = ALL.filter((h) => h !== host);
    await setServices('disabled', others);
    const hints = { 'os:scheduler_hints': { different_host: [taken] } };
    const seen = await dry({}, cloud().admin, hints);
    expect(seen.summary).toMatch(/^3 hosts: 2 disabled, 1 /);
    expect(relaxed(seen)).toEqual([...others.map((h) => `enable_host ${h}`), 'scheduler_hint different_host'].sort());
    expect(relaxed(await dry({}, cloud().demo, hints))).toEqual(['scheduler_hint different_host']);
    expect((await dry()).outcome).toBe('selected');
    // and too big as well: now no single thing would do
    expect((await dry({ flavorRef: flavors['big'] }, cloud().admin, hints)).would_fit_if).toEqual([]);
    await setServices('enabled', others);
    await demo.delete(taken);
  });

  it('for a host by name that does not suit is an outcome of its own', async () => {
    await setServices('disabled', ['host-3']);
    const named = { host: 'host-3' };
    expect(relaxed(await dry(named, cloud().admin))).toEqual(['enable_host host-3', 'host host-3']);
    const body = await demo.body({ server: named });
    const made = await cloud().admin.compute.post('/servers', body, { version: '2.104' });
    const id = made.body.server.id;
    await admin.becomes(id, 'ERROR');
    expect((await info(id, cloud().admin)).schedule_info[0]).toMatchObject({ outcome: 'target_unfit' });
    await admin.delete(id);
    await setServices('enabled', ['host-3']);
  });

  it('that was tried on host after host keeps each one’s fault', async () => {
    const id = await demo.create({ server: { metadata: { 'sim:fail_spawn': 'always' } } });
    await demo.becomes(id, 'ERROR');
    const [last, first] = (await info(id, cloud().admin)).schedule_info;
    expect([last.outcome, first.outcome]).toEqual(['retries_exhausted', 'selected']);
    expect(last.hosts.map((h: Wire) => h.host).sort()).toEqual(ALL);
    for (const h of last.hosts)
      expect(h).toMatchObject({ stage: 'build', code: expect.any(String), sentence: expect.any(String) });
    expect(JSON.stringify((await info(id)).schedule_info)).not.toMatch(/host-\d/);
    // by pages, each once
    const page = await info(id, cloud().admin, '?limit=1');
    expect(page.schedule_info.map((a: Wire) => a.id)).toEqual([last.id]);
    const next = await info(id, cloud().admin, `?limit=1&marker=${last.id}`);
    expect(next.schedule_info.map((a: Wire) => a.id)).toEqual([first.id]);
    await demo.delete(id);
  });

  it('of a server that is there: resize, migrate and unshelve, and nothing moves', async () => {
    const id = await demo.boot({ server: { flavorRef: '1' } });
    const host = (await admin.show(id))['OS-EXT-SRV-ATTR:host'];
    const before = await readBooks(cloud(), [await cloud().demo.projectId()]);
    const others = ALL.filter((h) => h !== host);
    const hostsOf = (answer: { body: Wire }): string[] =>
      answer.body.schedule_dry_run.destinations.map((d: Wire) => d.host).sort();
    expect(hostsOf(await ask({ resize: { server_id: id, flavorRef: '2' } }, cloud().admin))).toEqual(others);
    expect(hostsOf(await ask({ migrate: { server_id: id } }, cloud().admin))).toEqual(others);
    expect(hostsOf(await ask({ migrate: { server_id: id, host: others[0] } }, cloud().admin))).toEqual([others[0]]);
    expect(hostsOf(await ask({ unshelve: { server_id: id } }, cloud().admin))).toEqual(ALL);
    expect((await ask({ resize: { server_id: id, flavorRef: '2' } })).body.schedule_dry_run).toMatchObject({
      fitting: 2,
    });
    const tooBig = await ask({ resize: { server_id: id, flavorRef: flavors['big'] } });
    expect(tooBig.body.schedule_dry_run).toMatchObject({ operation: 'resize', outcome: 'no_valid_host' });

    expect((await ask({ resize: { server_id: id, flavorRef: '1' } })).status).toBe(400);
    expect((await ask({ migrate: { server_id: id, host } }, cloud().admin)).status).toBe(400);
    expect((await ask({ migrate: { server_id: id, host: others[0] } })).status).toBe(403);
    expect((await ask({ migrate: { server_id: id, host: 'nowhere' } }, cloud().admin)).status).toBe(400);
    expect((await ask({ resize: { server_id: id, flavorRef: '2' }, migrate: { server_id: id } })).status).toBe(400);
    expect((await ask({})).status).toBe(400);
    expect((await ask({ server: { name: 'x' } })).status).toBe(400);
    expect(await readBooks(cloud(), [await cloud().demo.projectId()])).toEqual(before);
    expect((await info(id)).schedule_info).toHaveLength(1);
    await demo.delete(id);
  });

  covers(cloud, ['GET /servers/{server_id}/os-schedule-info', 'POST /os-schedule-dry-run']);
});
