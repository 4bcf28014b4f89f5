import { randomUUID } from 'node:crypto';
import { POWER_STATES } from '@fractus/objects';
import { guestSpec, settle } from '@fractus/virt';
import { World } from './harness';

describe('hosts', () => {
  let world: World;

  beforeEach(async () => {
    world = await new World().open();
  });
  afterEach(() => world.dispose());

  async function start(overrides: Parameters<World['startAgent']>[0] = {}): Promise<void> {
    await world.serveNeighbours();
    await world.startAgent(overrides);
    await world.serving();
  }

  const provider = (host: string) => [...world.placement.providers.values()].find((p) => p.name === host)!;

  it('come into service when conductor and placement do, however late', async () => {
    await world.startAgent();
    await world.clock.advance(30_000);
    expect(await world.agent.ready()).toContainEqual({
      part: 'hosts',
      ok: false,
      why: '2 of 2 hosts are not yet in service',
    });
    await world.serveNeighbours();
    world.placement.down = true;
    await world.clock.advance(30_000);
    await world.until(() => world.conductor.reattached.length === 2);
    expect((await world.agent.ready()).every((c) => c.ok)).toBe(false);
    world.placement.down = false;
    for (let i = 0; i < 10; i++) await world.clock.advance(15_000);
    await world.serving();
  });

  it('cannot be reached before they are in service', async () => {
    await world.serveNeighbours();
    world.placement.down = true;
    await world.startAgent();
    await world.until(() => world.conductor.reattached.length === 2);
    await expect(world.compute.on('a').getUptime(world.ctx, {})).rejects.toMatchObject({ kind: 'unroutable' });
  });

  it('register with what they are', async () => {
    await start();
    const [{ agentId, hosts }] = world.conductor.registered as [(typeof world.conductor.registered)[0]];
    expect(agentId).toBe('agent-1');
    expect(hosts.map((h) => h.host)).toEqual(['a', 'b']);
    expect(hosts[0]).toMatchObject({
      node: 'a',
      hypervisorType: 'simulated',
      vcpus: 32,
      memoryMbUsed: 512,
      runningGuests: 0,
    });
    expect(hosts[0]!.traits).toEqual(
      expect.arrayContaining(['COMPUTE_NODE', 'OWNER_NOVA', 'COMPUTE_IMAGE_TYPE_RAW', 'HW_CPU_X86_AVX2']),
    );
  });

  it('have providers with inventories and traits in placement', async () => {
    await start();
    expect(provider('a').providerId).toBe(world.conductor.registered[0]!.hosts[0]!.nodeId);
    expect(provider('a').inventories).toMatchObject({
      VCPU: { total: 32, allocationRatio: 4 },
      MEMORY_MB: { total: 131_072, reserved: 512, allocationRatio: 1 },
      DISK_GB: { total: 2_000 },
    });
    expect(provider('a').traits).toContain('COMPUTE_NODE');
    expect(provider('a').traits).not.toContain('COMPUTE_STATUS_DISABLED');
  });

  it('leave alone what others have set, and mend what others have broken', async () => {
    await start();
    const p = provider('a');
    p.traits = [
      ...p.traits.filter((t) => t !== 'COMPUTE_NODE'),
      'CUSTOM_GOLD',
      'COMPUTE_VOLUME_MULTI_ATTACH',
      'STORAGE_DISK_SSD',
    ];
    p.inventories['VCPU']!.allocationRatio = 16;
    p.inventories['CUSTOM_LICENSE'] = { ...p.inventories['VCPU']!, total: 5 };
    p.inventories['MEMORY_MB']!.total = 1;
    await world.clock.advance(300_000);
    await world.until(() => provider('a').traits.includes('COMPUTE_NODE'));
    const mended = provider('a');
    expect(mended.traits).toEqual(expect.arrayContaining(['CUSTOM_GOLD', 'STORAGE_DISK_SSD']));
    expect(mended.traits).not.toContain('COMPUTE_VOLUME_MULTI_ATTACH');
    expect(mended.inventories).toMatchObject({
      VCPU: { total: 32, allocationRatio: 16 },
      MEMORY_MB: { total: 131_072 },
      CUSTOM_LICENSE: { total: 5 },
    });
  });

  it('send nothing to placement while nothing changes', async () => {
    await start();
    const before = world.placement.updates.length;
    await world.clock.advance(1_200_000);
    await settle(50);
    expect(world.placement.updates).toHaveLength(before);
  });

  it('try again when placement is being changed by others', async () => {
    await world.serveNeighbours();
    world.placement.contended = 3;
    await world.startAgent();
    await world.until(() => world.placement.updates.length >= 3);
    await world.serving();
    expect(provider('b').traits).toContain('COMPUTE_NODE');
  });

  it('carry the trait of a disabled host from the start and at once when it changes', async () => {
    await world.serveNeighbours();
    world.conductor.disabled.add('a');
    await world.startAgent();
    await world.serving();
    expect(provider('a').traits).toContain('COMPUTE_STATUS_DISABLED');
    await world.compute.on('a').setHostEnabled(world.ctx, { enabled: true });
    expect(provider('a').traits).not.toContain('COMPUTE_STATUS_DISABLED');
    await world.compute.on('b').setHostEnabled(world.ctx, { enabled: false, reason: 'repair' });
    expect(provider('b').traits).toContain('COMPUTE_STATUS_DISABLED');
    await world.clock.advance(300_000);
    await settle(50);
    expect(provider('b').traits).toContain('COMPUTE_STATUS_DISABLED');
  });

  it('tell their uptime', async () => {
    await start();
    await world.clock.advance(3_661_000);
    expect(await world.compute.on('a').getUptime(world.ctx, {})).toEqual({
      uptime: expect.stringMatching(/up {2}1:01, {2}0 users/),
    });
  });

  it('send one heartbeat for all every interval, with a growing number', async () => {
    await start();
    await world.clock.advance(60_000);
    await world.until(() => world.conductor.reports.filter((r) => r.alive.length === 2).length >= 6);
    const seqs = world.conductor.reports.map((r) => r.seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(new Set(seqs).size).toBe(seqs.length);
    const changed = world.conductor.reports.flatMap((r) => r.changed.map((h) => h.host));
    expect(changed.sort()).toEqual(['a', 'b']);
    await world.until(() => world.news.reports.length === world.conductor.reports.length);
  });

  it('live and are told of while one of them cannot be read, which is left out until it can', async () => {
    await start();
    const read = world.driver.hostState.bind(world.driver);
    let sick = true;
    jest.spyOn(world.driver, 'hostState').mockImplementation(async (host) => {
      if (host === 'b' && sick) throw new Error('the hypervisor does not answer');
      return read(host);
    });
    await world.clock.advance(15_000);
    for (const host of ['a', 'b'])
      await world.compute.on(host).build(world.ctx, {
        operation: world.ref({ host }),
        guest: guestSpec({ serverId: randomUUID() }),
      });
    await world.until(() => world.conductor.finished.length === 2);
    const before = world.conductor.reports.length;
    const told = () => world.conductor.reports.slice(before);
    await world.clock.advance(1_000);
    await world.until(() => told().some((r) => r.changed.some((h) => h.host === 'a')));
    for (let beat = 0; beat < 3; beat++) await world.clock.advance(10_000);
    await world.until(() => told().length >= 4);
    expect(new Set(told().map((r) => r.alive.join()))).toEqual(new Set(['a']));
    sick = false;
    await world.clock.advance(10_000);
    await world.until(() => told().at(-1)?.alive.length === 2);
    expect(told().at(-1)).toMatchObject({ changed: [{ host: 'b', runningGuests: 1 }] });
  });

  it('tell soon of a change, and only of the host that changed', async () => {
    await start();
    await world.clock.advance(11_000);
    const before = world.conductor.reports.length;
    const ref = world.ref();
    await world.build(ref);
    await world.answered(ref);
    await world.clock.advance(200);
    await world.until(() => world.conductor.reports.length > before);
    expect(world.conductor.reports.at(-1)).toMatchObject({
      alive: ['a'],
      changed: [{ host: 'a', runningGuests: 1, vcpusUsed: 1 }],
    });
  });

  it('tell of many changes once a second, each host as it is then', async () => {
    await start();
    await world.clock.advance(15_000);
    const before = world.conductor.reports.length;
    for (let i = 0; i < 40; i++) {
      await world.built();
      await world.clock.advance(100);
      await settle();
    }
    const told = (): (number | undefined)[] =>
      world.conductor.reports.slice(before).map((r) => r.changed.find((h) => h.host === 'a')?.runningGuests);
    await world.clock.advance(1_000);
    await world.until(() => told().at(-1) === 40);
    expect(told().length).toBeLessThanOrEqual(6);
    await world.until(() => world.news.reports.length === world.conductor.reports.length);
  });

  it('tell of a guest that died by itself', async () => {
    await start();
    const serverId = await world.built({ metadata: { 'sim:crash_after': '5' } });
    await world.clock.advance(5_000);
    await world.until(() => world.conductor.events.length === 1);
    expect(world.conductor.events).toEqual([
      { serverId, host: 'a', fence: 1, powerState: POWER_STATES.crashed, at: expect.any(Number) },
    ]);
  });

  it('keep their node ids over restarts, and take over those that conductor knows', async () => {
    await start();
    const [{ hosts: first }] = world.conductor.registered as [(typeof world.conductor.registered)[0]];
    const adopted = '11111111-2222-4333-8444-555555555555';
    world.conductor.nodeIds.set('b', adopted);
    await world.endAgent('kill');
    await world.startAgent();
    await world.serving();
    expect(world.conductor.registered[1]!.hosts.map((h) => h.nodeId)).toEqual(first.map((h) => h.nodeId));
    expect(world.placement.providers.has(adopted)).toBe(true);
    await world.endAgent('close');
    world.conductor.nodeIds.clear();
    await world.startAgent();
    await world.serving();
    expect(world.conductor.registered[2]!.hosts[1]!.nodeId).toBe(adopted);
  });

  it('come into service by the thousand', async () => {
    const hosts = Array.from({ length: 1_000 }, (_, i) => `host-${i + 1}`);
    await world.serveNeighbours();
    await world.startAgent({ hosts });
    await world.serving();
    expect(world.conductor.registered.map((r) => r.hosts.length)).toEqual([200, 200, 200, 200, 200]);
    expect(world.placement.providers.size).toBe(1_000);
    expect(world.clock.waiting).toBeLessThan(10);
  });
});
