import { randomUUID } from 'node:crypto';
import { AggregatesRepository, HostsRepository, ScheduleAttemptsRepository, serviceIsUp } from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import { invalid } from '@fractus/objects';
import type { ScheduleReport } from '@fractus/scheduling';
import { aCall, addHost, aProvider, aSpec, type Cloud, ctx, nodeIdOf, startCloud } from './fixture';

const hosts = (n: number) => async (db: Database) => {
  for (let i = 0; i < n; i++) await addHost(db, i);
};
const providers = (n: number) => Array.from({ length: n }, (_, i) => aProvider(i));

describe('selectDestinations', () => {
  let cloud: Cloud;
  const start = async (...args: Parameters<typeof startCloud>) => (cloud = await startCloud(...args));
  afterEach(() => cloud.close());

  it('claims a host, names alternates and keeps the report', async () => {
    await start(providers(4), hosts(4));
    const call = aCall();
    const selection = await cloud.client.selectDestinations(ctx, call);
    expect(selection).toMatchObject({ outcome: 'selected', summary: '1 of 4 fitting hosts chosen among 4' });
    const chosen = selection.destination!;
    expect(cloud.placement.flat.held(call.serverId)).toEqual(chosen.allocations);
    expect(chosen.allocations).toEqual({ [chosen.nodeId]: { resources: { VCPU: 1, MEMORY_MB: 1024, DISK_GB: 10 } } });
    expect(new Set([chosen.host, ...selection.alternates.map((a) => a.host)]).size).toBe(3);
    const [attempt] = await new ScheduleAttemptsRepository(cloud.database).ofServer(call.serverId);
    expect(attempt).toMatchObject({
      attemptId: selection.attemptId,
      taskId: call.taskId,
      requestId: ctx.requestId,
      operation: 'create',
      outcome: 'selected',
    });
    expect(attempt?.report).toMatchObject({
      chosen: chosen.host,
      stages: expect.arrayContaining([expect.objectContaining({ stage: 'claim', out: 1 })]) as unknown,
    });
  });

  it('is in the list of services while it lives', async () => {
    await start(providers(1), hosts(1));
    const [service] = await new HostsRepository(cloud.database).services({ binary: 'nova-scheduler' });
    expect(service).toMatchObject({ host: 'scheduler', disabled: false });
    expect(serviceIsUp(service!, Date.now(), 60_000)).toBe(true);
  });

  it('says why there is none, and records the hosts for operators', async () => {
    await start(providers(3), async (db) => {
      await addHost(db, 0, { lastSeenAt: Date.now() - 3_600_000 });
      await addHost(db, 1, { disabled: true });
      await addHost(db, 2);
    });
    const call = aCall({ excludeHosts: ['c2'] });
    const selection = await cloud.client.selectDestinations(ctx, call);
    expect(selection).toMatchObject({
      outcome: 'no_valid_host',
      alternates: [],
      summary: '3 hosts: 1 already tried, 1 disabled, 1 down',
    });
    expect(selection.destination).toBeUndefined();
    const report = (await new ScheduleAttemptsRepository(cloud.database).find(selection.attemptId))
      ?.report as ScheduleReport;
    expect(report.hosts.map((h) => `${h.host} ${h.code}`).sort()).toEqual([
      'c0 host.down',
      'c1 host.disabled',
      'c2 host.already_tried',
    ]);
    const big = await cloud.client.selectDestinations(
      ctx,
      aCall({ spec: aSpec({ flavor: { ...aSpec().flavor, vcpus: 5 } }) }),
    );
    expect(big.summary).toBe('3 hosts: 3 lack VCPU (need 5, best free 4)');
  });

  it('asks for shared processors where none are dedicated, if it may', async () => {
    const pinned = aSpec({ flavor: { ...aSpec().flavor, extraSpecs: { 'hw:cpu_policy': 'dedicated' } } });
    await start(providers(1), hosts(1));
    const refused = await cloud.client.selectDestinations(ctx, aCall({ spec: pinned }));
    expect(refused).toMatchObject({ outcome: 'no_valid_host', summary: '1 host: 1 lack PCPU (need 1, best free 0)' });
    await cloud.close();
    await start(providers(1), hosts(1), { fallbackPcpuQuery: true });
    const call = aCall({ spec: pinned });
    const selection = await cloud.client.selectDestinations(ctx, call);
    expect(selection.destination?.allocations[nodeIdOf(0)]?.resources).toMatchObject({ VCPU: 1 });
    const [attempt] = await new ScheduleAttemptsRepository(cloud.database).ofServer(call.serverId);
    expect((attempt?.report as ScheduleReport).stages[0]).toEqual({
      stage: 'request_filter',
      name: 'fallback_pcpu_query',
      constraints: ['VCPU instead of PCPU'],
    });
  });

  it('measures what it serves and what it asks of Placement', async () => {
    await start(providers(1), hosts(1));
    await cloud.client.selectDestinations(ctx, aCall());
    const { body } = await cloud.metrics.render();
    for (const [side, method] of [
      ['server', 'scheduler.selectDestinations'],
      ['client', 'placement.getCandidates'],
      ['client', 'placement.writeAllocations'],
    ])
      expect(body).toContain(`fractus_rpc_seconds_count{side="${side}",method="${method}",outcome="ok"} 1`);
  });

  it.each([false, true])(
    'reads candidates in short, and in full from a Placement that knows no other form (%s)',
    async (older) => {
      await start(providers(3), hosts(3));
      cloud.placement.older = older;
      // what is left tells the hosts apart
      const taken = (n: number, vcpus: number) => ({ [nodeIdOf(n)]: { resources: { VCPU: vcpus } } });
      cloud.placement.flat.claim('other', { ...taken(0, 2), ...taken(2, 1) });
      const { destination, alternates } = await cloud.client.selectDestinations(ctx, aCall());
      const all = [destination!, ...alternates];
      expect(all.map((d) => d.host)).toEqual(['c1', 'c2', 'c0']);
      const resources = { VCPU: 1, MEMORY_MB: 1024, DISK_GB: 10 };
      for (const d of all) expect(d.allocations).toEqual({ [d.nodeId]: { resources } });
    },
  );

  it('never over-commits under many calls at once, and loses none that fits', async () => {
    await start(providers(10), hosts(10));
    const calls = Array.from({ length: 60 }, () => aCall());
    const selections = await Promise.all(calls.map((c) => cloud.client.selectDestinations(ctx, c)));
    const selected = selections.filter((s) => s.outcome === 'selected');
    expect(selected).toHaveLength(40); // 10 hosts of 4 processors
    for (let i = 0; i < 10; i++) expect(cloud.placement.flat.free(nodeIdOf(i), 'VCPU')).toBe(0);
    for (const s of selections.filter((x) => x.outcome !== 'selected'))
      expect(['no_valid_host', 'claims_exhausted']).toContain(s.outcome);
  });

  it('spreads calls that come together', async () => {
    await start(providers(8), hosts(8));
    // each task draws by its id; with ids of chance one run in some would fail by chance
    const calls = Array.from({ length: 8 }, (_, i) => aCall({ taskId: nodeIdOf(100 + i) }));
    const selections = await Promise.all(calls.map((call) => cloud.client.selectDestinations(ctx, call)));
    expect(new Set(selections.map((s) => s.destination?.host)).size).toBeGreaterThan(4);
  });

  it('replaces its own claim when called again, on another host too', async () => {
    await start(providers(2), hosts(2));
    const call = aCall();
    const first = await cloud.client.selectDestinations(ctx, call);
    const again = await cloud.client.selectDestinations(ctx, { ...call, fence: 2 });
    expect(again.outcome).toBe('selected');
    const elsewhere = await cloud.client.selectDestinations(ctx, {
      ...call,
      fence: 3,
      excludeHosts: [again.destination!.host],
    });
    expect(elsewhere.destination?.host).not.toBe(again.destination?.host);
    const used = [0, 1].map((i) => 4 - cloud.placement.flat.free(nodeIdOf(i), 'VCPU'));
    expect(used.reduce((a, b) => a + b)).toBe(1);
    expect(first.outcome).toBe('selected');
  });

  it('keeps the claim of a call whose answer was lost, even when it took the last room', async () => {
    await start([aProvider(0, { capacity: { VCPU: 1, MEMORY_MB: 1024, DISK_GB: 10 } })], hosts(1));
    const call = aCall();
    cloud.placement.loseAnswers = 1;
    await expect(cloud.client.selectDestinations(ctx, call)).rejects.toMatchObject({ kind: 'internal' });
    expect(cloud.placement.flat.free(nodeIdOf(0), 'VCPU')).toBe(0);
    const again = await cloud.client.selectDestinations(ctx, { ...call, fence: 2 });
    expect(again).toMatchObject({ outcome: 'selected', destination: { host: 'c0' } });
    expect(cloud.placement.flat.free(nodeIdOf(0), 'VCPU')).toBe(0);
    // not where it has failed
    const excluded = await cloud.client.selectDestinations(ctx, { ...call, fence: 3, excludeHosts: ['c0'] });
    expect(excluded.outcome).toBe('no_valid_host');
  });

  it('gives up at once when the task has lost its lease', async () => {
    await start(providers(3), hosts(3));
    const call = aCall({ fence: 5 });
    await cloud.client.selectDestinations(ctx, call);
    const writes = cloud.placement.writes;
    await expect(cloud.client.selectDestinations(ctx, { ...call, fence: 4 })).rejects.toMatchObject({
      kind: 'conflict',
      code: 'claim.stale_fence',
    });
    expect(cloud.placement.writes - writes).toBeLessThanOrEqual(2);
  });

  it('goes on to the next host when a claim is lost to another', async () => {
    await start(providers(3), hosts(3));
    const fill = (n: number) => cloud.placement.flat.claim(randomUUID(), { [nodeIdOf(n)]: { resources: { VCPU: 4 } } });
    cloud.placement.beforeWrite = () => {
      fill(0);
      fill(1);
    };
    const selection = await cloud.client.selectDestinations(ctx, aCall());
    expect(selection).toMatchObject({ outcome: 'selected', destination: { host: 'c2' } });
  });

  it('tells apart that every claim came too late', async () => {
    await start(providers(1), hosts(1));
    cloud.placement.beforeWrite = () =>
      void cloud.placement.flat.claim(randomUUID(), { [nodeIdOf(0)]: { resources: { VCPU: 4 } } });
    const selection = await cloud.client.selectDestinations(ctx, aCall());
    expect(selection).toMatchObject({
      outcome: 'claims_exhausted',
      summary: '1 host: 1 host could take it when asked, but 1 claim came too late',
    });
  });

  it('answers that no host has what Placement has never heard of', async () => {
    await start(providers(1), hosts(1));
    cloud.placement.refuse = invalid('No such trait(s): CUSTOM_X.', { code: 'trait.unknown' });
    const selection = await cloud.client.selectDestinations(ctx, aCall());
    expect(selection).toMatchObject({ outcome: 'no_valid_host', summary: 'No such trait(s): CUSTOM_X.' });
  });

  it('passes on that Placement is not there', async () => {
    await start(providers(1), hosts(1));
    await cloud.stopPlacement();
    await expect(cloud.client.selectDestinations(ctx, aCall())).rejects.toMatchObject({ kind: 'unroutable' });
  });

  it('keeps to the zone asked for, default zone included', async () => {
    const zone = '00000000-0000-4000-8000-0000000000a1';
    await start([aProvider(0, { aggregates: [zone] }), aProvider(1)], async (db) => {
      await hosts(2)(db);
      const aggregates = new AggregatesRepository(db);
      const { id } = await aggregates.create({ uuid: zone, name: 'az1', metadata: { availability_zone: 'az1' } }, 1);
      await aggregates.addHost(id, 'c0', 2);
    });
    const ask = (availabilityZone: string) =>
      cloud.client.selectDestinations(ctx, aCall({ spec: aSpec({ availabilityZone }) }));
    for (let i = 0; i < 3; i++) expect((await ask('az1')).destination?.host).toBe('c0');
    for (let i = 0; i < 3; i++) expect((await ask('nova')).destination?.host).toBe('c1');
    expect((await ask('az9')).summary).toBe('2 hosts: 2 in another availability zone');
  });

  it('asks for all candidates when none of a limited answer will do', async () => {
    const filtering = { maxPlacementResults: 2 };
    const busy = { lastSeenAt: 1 };
    await start(
      providers(5),
      async (db) => {
        for (let i = 0; i < 5; i++) await addHost(db, i, i < 4 ? busy : {});
      },
      filtering,
    );
    const selection = await cloud.client.selectDestinations(ctx, aCall());
    expect(selection).toMatchObject({
      outcome: 'selected',
      destination: { host: 'c4' },
      summary: '1 of 1 fitting host chosen among 5 (4 down)',
    });
  });

  it('follows hints about other servers', async () => {
    await start(providers(3), hosts(3));
    const first = aCall();
    const { destination } = await cloud.client.selectDestinations(ctx, first);
    await cloud.database.transaction((tx) => tx.insert('servers', serverRow(first.serverId, destination!.host)));
    const hint = (key: string) =>
      cloud.client.selectDestinations(ctx, aCall({ spec: aSpec({ schedulerHints: { [key]: [first.serverId] } }) }));
    expect((await hint('same_host')).destination?.host).toBe(destination?.host);
    expect((await hint('different_host')).destination?.host).not.toBe(destination?.host);
  });

  it('is ready, and says so', async () => {
    await start(providers(1), hosts(1));
    expect(await cloud.scheduler.ready()).toEqual([
      { part: 'database', ok: true },
      { part: 'rpc', ok: true },
    ]);
  });
});

function serverRow(uuid: string, host: string) {
  const text = {
    project_id: 'p1',
    user_id: 'u1',
    name: 'n',
    hostname: 'n',
    vm_state: 'active',
    flavor_id: '1',
    flavor: '{}',
    image_ref: '',
    reservation_id: 'r',
    disk_config: 'AUTO',
  };
  const json = {
    metadata: '{}',
    system_metadata: '{}',
    tags: '[]',
    security_groups: '[]',
    requested_networks: '"auto"',
    nics: '[]',
  };
  const numbers = {
    power_state: 1,
    progress: 0,
    fence: 1,
    vcpus: 1,
    memory_mb: 1,
    root_gb: 1,
    ephemeral_gb: 0,
    config_drive: 0,
    launch_index: 0,
    created_at: 1,
    deleted: 0,
  };
  return { uuid, host, ...text, ...json, ...numbers };
}
