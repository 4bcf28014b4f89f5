import { POWER_STATES } from '@fractus/objects';
import { settle } from '@fractus/virt';
import { World } from './harness';

describe('operations', () => {
  let world: World;

  beforeEach(async () => {
    world = await new World().open();
    await world.serveNeighbours();
    await world.startAgent();
    await world.serving();
  });
  afterEach(() => world.dispose());

  it('builds a guest and reports it', async () => {
    const ref = world.ref();
    await world.build(ref);
    expect(await world.answered(ref)).toEqual({
      operation: ref,
      outcome: 'done',
      powerState: POWER_STATES.running,
      at: world.clock.now(),
    });
    expect(await world.driver.guests('a')).toEqual([expect.objectContaining({ serverId: ref.serverId, fence: 1 })]);
    await world.clock.advance(10_000);
    expect(world.conductor.progress).toEqual([]);
  });

  it('tells the phase of what takes a while, and the last one only where one follows on another', async () => {
    const spawn = jest.spyOn(world.driver, 'spawn').mockImplementationOnce(async (_host, _spec, { progress }) => {
      progress({ phase: 'networking' });
      progress({ phase: 'spawning', percent: 0 });
      await new Promise<void>((resolve) => world.clock.after(5_000, resolve));
      throw new TypeError('enough');
    });
    const ref = world.ref();
    await world.build(ref);
    await world.until(() => spawn.mock.calls.length === 1);
    await world.clock.advance(249);
    await settle(20);
    expect(world.conductor.progress).toEqual([]);
    await world.clock.advance(1);
    await world.until(() => world.conductor.progress.length > 0);
    await world.clock.advance(4_749);
    await settle(20);
    expect(world.conductor.progress).toEqual([{ operation: ref, phase: 'spawning', percent: 0 }]);
  });

  it('answers a repeat from the journal', async () => {
    const ref = world.ref();
    await world.build(ref);
    await world.answered(ref);
    const again = { ...ref, fence: 2 };
    await world.build(again);
    expect(await world.answered(ref, 2)).toEqual({
      operation: again,
      outcome: 'done',
      at: world.clock.now(),
      powerState: POWER_STATES.running,
      replayed: true,
    });
    expect(world.effects(ref.serverId)).toEqual(['spawn']);
  });

  it('does not begin anew what is under way, and answers to the lease that asked last', async () => {
    const ref = world.ref();
    await world.build(ref, { metadata: { 'sim:delay_spawn': '1' } });
    await world.build({ ...ref, fence: 3 });
    await world.until(() => world.conductor.progress.some((p) => p.operation.fence === 3));
    await world.clock.advance(1_000);
    expect((await world.answered(ref)).operation.fence).toBe(3);
    expect(world.answers(ref)).toHaveLength(1);
    expect(world.effects(ref.serverId)).toEqual(['spawn']);
  });

  it('measures what it is asked and what it tells', async () => {
    const ref = world.ref();
    await world.build(ref);
    await world.answered(ref);
    const measured = async (side: string, method: string): Promise<boolean> =>
      (await world.metrics.render()).body.includes(`fractus_rpc_seconds_count{side="${side}",method="${method}"`);
    await world.until(() => measured('client', 'conductor.operationFinished'));
    expect(await measured('server', 'compute.build')).toBe(true);
    expect(await measured('client', 'placement.ensureProviders')).toBe(true);
  });

  it('refuses a stale fence', async () => {
    const ref = world.ref({ fence: 5 });
    await world.build(ref);
    await world.answered(ref);
    const late = world.ref({ serverId: ref.serverId, fence: 4, step: 'stop' });
    await world.compute.on('a').stop(world.ctx, { operation: late, shutdownTimeoutSeconds: 0 });
    expect(await world.answered(late)).toMatchObject({ outcome: 'failed', error: { code: 'fence.stale' } });
    expect(world.effects(ref.serverId)).toEqual(['spawn']);
  });

  it('runs every power operation', async () => {
    const serverId = await world.built();
    const on = world.compute.on('a');
    const steps: [string, (operation: ReturnType<World['ref']>) => Promise<void>, number][] = [
      ['pause', (operation) => on.pause(world.ctx, { operation }), POWER_STATES.paused],
      ['unpause', (operation) => on.unpause(world.ctx, { operation }), POWER_STATES.running],
      ['suspend', (operation) => on.suspend(world.ctx, { operation }), POWER_STATES.suspended],
      ['resume', (operation) => on.resume(world.ctx, { operation }), POWER_STATES.running],
      ['stop', (operation) => on.stop(world.ctx, { operation, shutdownTimeoutSeconds: 60 }), POWER_STATES.shutdown],
      ['start', (operation) => on.start(world.ctx, { operation }), POWER_STATES.running],
      ['reboot', (operation) => on.reboot(world.ctx, { operation, type: 'HARD' }), POWER_STATES.running],
    ];
    for (const [i, [step, send, powerState]] of steps.entries()) {
      const ref = world.ref({ serverId, step, fence: i + 2 });
      await send(ref);
      expect(await world.answered(ref)).toEqual({ operation: ref, outcome: 'done', powerState, at: world.clock.now() });
    }
    expect(world.effects(serverId)).toEqual([
      'spawn',
      'pause',
      'unpause',
      'suspend',
      'resume',
      'stop',
      'start',
      'reboot-hard',
    ]);
  });

  it('tells why an operation failed, and whether another host might do better', async () => {
    const build = world.ref();
    await world.build(build, { metadata: { 'sim:fail_spawn': 'always' } });
    expect(await world.answered(build)).toMatchObject({
      outcome: 'failed',
      error: { code: 'driver.spawn', retryElsewhere: true },
    });
    const stop = world.ref();
    await world.compute.on('a').stop(world.ctx, { operation: stop, shutdownTimeoutSeconds: 0 });
    expect(await world.answered(stop)).toMatchObject({
      outcome: 'failed',
      error: { code: 'guest.not_found', retryElsewhere: false },
    });
  });

  it('shows the class of an unexpected error and not its text', async () => {
    jest.spyOn(world.driver, 'spawn').mockRejectedValueOnce(new TypeError('secret path /etc/x'));
    const ref = world.ref();
    await world.build(ref);
    expect((await world.answered(ref)).error).toEqual({
      code: 'driver.fault',
      message: 'The driver failed unexpectedly (TypeError).',
      retryElsewhere: true,
    });
  });

  it('destroys on every host that one step names', async () => {
    const serverId = await world.built();
    const [a, b] = ['a', 'b'].map((host) =>
      world.ref({ serverId, taskId: 'f3a1a7f6-6a3e-4f0e-9a53-2f1f4d0a8b11', step: 'destroy', fence: 2, host }),
    );
    await world.destroy(b!);
    await world.destroy(a!);
    expect(await world.answered(a!)).toEqual({ operation: a, outcome: 'done', at: world.clock.now() });
    expect(await world.answered(b!)).toEqual({ operation: b, outcome: 'done', at: world.clock.now() });
    expect(world.effects(serverId)).toEqual(['spawn', 'destroy']);
  });

  it('builds nothing for a server that was destroyed for ever, but does after a destroy that was not', async () => {
    const serverId = await world.built();
    const removal = world.ref({ serverId, fence: 2, step: 'destroy' });
    await world.destroy(removal, false);
    await world.answered(removal);
    const again = world.ref({ serverId, fence: 3 });
    await world.build(again);
    expect(await world.answered(again)).toMatchObject({ outcome: 'done' });
    const deletion = world.ref({ serverId, fence: 4, step: 'destroy' });
    await world.destroy(deletion, true);
    await world.answered(deletion);
    const late = world.ref({ serverId, fence: 9 });
    await world.build(late);
    expect(await world.answered(late)).toMatchObject({
      outcome: 'failed',
      error: { code: 'guest.deleted', retryElsewhere: false },
    });
    expect(world.effects(serverId)).toEqual(['spawn', 'destroy', 'spawn', 'destroy']);
  });

  it('calls a hung build off when a destroy of a later lease comes', async () => {
    const build = world.ref();
    await world.build(build, { metadata: { 'sim:hang_spawn': 'alive' } });
    const destroy = world.ref({ serverId: build.serverId, fence: 2, step: 'destroy' });
    await world.destroy(destroy);
    expect(await world.answered(build)).toMatchObject({ outcome: 'failed', error: { code: 'operation.superseded' } });
    expect(await world.answered(destroy)).toMatchObject({ outcome: 'done' });
    expect(world.effects(build.serverId)).toEqual([]);
  });

  it('calls a hung build off when its own lease tries the next host', async () => {
    const build = world.ref();
    await world.build(build, { metadata: { 'sim:hang_spawn': 'stalled', 'sim:hang_spawn_times': '1' } });
    const next = { ...build, attempt: 2, host: 'b' };
    await world.build(next);
    expect(await world.answered(next)).toMatchObject({ outcome: 'done' });
    expect(world.ledger().map((e) => [e.host, e.effect])).toEqual([['b', 'spawn']]);
  });

  it('runs the operations on one guest one after another', async () => {
    const serverId = await world.built();
    const hangs = world.ref({ serverId, step: 'destroy', fence: 2 });
    jest
      .spyOn(world.driver, 'destroy')
      .mockImplementationOnce(() => new Promise((resolve) => world.clock.after(5_000, resolve)));
    await world.destroy(hangs, false);
    const stray = world.ref({ serverId, step: 'stray', fence: 2 });
    await world.destroy(stray, false);
    await settle(20);
    expect([world.answers(hangs), world.answers(stray)]).toEqual([[], []]);
    await world.clock.advance(5_000);
    expect(await world.answered(hangs)).toMatchObject({ outcome: 'done' });
    expect(await world.answered(stray)).toMatchObject({ outcome: 'done' });
    expect(world.effects(serverId)).toEqual(['spawn', 'destroy']);
  });

  it('lets what goes on with a server on another host be', async () => {
    const build = world.ref();
    await world.build(build, { metadata: { 'sim:delay_spawn': '1' } });
    const elsewhere = world.ref({ serverId: build.serverId, host: 'b', step: 'stray' });
    await world.destroy(elsewhere, false);
    expect(await world.answered(elsewhere)).toMatchObject({ outcome: 'done' });
    await world.clock.advance(1_000);
    expect(await world.answered(build)).toMatchObject({ outcome: 'done' });
  });

  it('bounds what runs at once on a host', async () => {
    await world.endAgent('close');
    await world.startAgent({ maxOperationsPerHost: 2 });
    await world.serving();
    const refs = Array.from({ length: 5 }, () => world.ref());
    for (const ref of refs) await world.build(ref, { metadata: { 'sim:delay_spawn': '1' } });
    await world.clock.advance(1_000);
    await world.until(() => world.ledger().length >= 2);
    await settle(50);
    expect(world.ledger()).toHaveLength(2);
    for (const expected of [4, 5]) {
      await world.clock.advance(1_000);
      await world.until(() => world.ledger().length === expected);
    }
  });

  it('says thrice within the allowed silence that it lives, also while it waits for its turn', async () => {
    const ref = world.ref({ silenceSeconds: 30 });
    await world.build(ref, { metadata: { 'sim:hang_spawn': 'alive' } });
    await settle();
    const before = world.conductor.progress.length;
    for (let i = 0; i < 6; i++) await world.clock.advance(10_000);
    await world.until(() => world.conductor.progress.length === before + 6);
  });

  it('falls silent while the driver has lost touch', async () => {
    const ref = world.ref({ silenceSeconds: 3 });
    await world.build(ref, { metadata: { 'sim:hang_spawn': 'stalled' } });
    await settle();
    await world.clock.advance(60_000);
    await settle(20);
    expect(world.conductor.progress).toEqual([]);
  });

  it('counts failed builds and disk-heavy operations of a host', async () => {
    const bad = world.ref();
    await world.build(bad, { metadata: { 'sim:fail_spawn': 'always' } });
    await world.answered(bad);
    await world.build(world.ref(), { metadata: { 'sim:hang_spawn': 'alive' } });
    await world.clock.advance(1_000);
    await world.until(() =>
      world.conductor.reports.some((r) => r.changed.some((h) => h.failedBuilds === 1 && h.ioOps === 1)),
    );
    const good = world.ref();
    await world.build(good);
    await world.answered(good);
    await world.clock.advance(1_000);
    await world.until(() => world.conductor.reports.at(-1)?.changed[0]?.failedBuilds === 0);
  });

  it('refuses an operation for a host that it does not serve', async () => {
    const ref = world.ref({ host: 'nowhere' });
    await world.compute.on('a').start(world.ctx, { operation: ref });
    expect(await world.answered(ref)).toMatchObject({ error: { code: 'host.not_found', retryElsewhere: true } });
  });
});
