import { POWER_STATES } from '@fractus/objects';
import { doubleGuests } from '@fractus/virt-simulated';
import { World } from './harness';

describe('an agent that comes back', () => {
  let world: World;

  beforeEach(async () => {
    world = await new World().open();
    await world.serveNeighbours();
    await world.startAgent();
    await world.serving();
  });
  afterEach(() => world.dispose());

  async function restart(how: 'close' | 'kill'): Promise<void> {
    await world.endAgent(how);
    world.conductor.reattached.length = 0;
    await world.startAgent();
    await world.serving();
  }

  it('finds its guests and asks conductor about them before it consumes', async () => {
    const serverId = await world.built();
    await restart('kill');
    expect(world.conductor.reattached.find((r) => r.host === 'a')).toEqual({
      agentId: 'agent-1',
      host: 'a',
      at: expect.any(Number),
      guests: [{ serverId, fence: 1, powerState: POWER_STATES.running }],
    });
    expect(await world.driver.guests('a')).toHaveLength(1);
  });

  it('destroys a guest on the word of conductor only, and obeys the fence that comes with it', async () => {
    const [gone, waiting] = [await world.built(), await world.built()];
    world.conductor.verdicts.set(gone, { verdict: 'destroy', fence: 7 });
    world.conductor.verdicts.set(waiting, { verdict: 'wait', fence: 8 });
    await restart('kill');
    expect((await world.driver.guests('a')).map((g) => g.serverId)).toEqual([waiting]);
    expect(world.ledger().at(-1)).toMatchObject({ serverId: gone, effect: 'destroy', fence: 7 });
    const late = world.ref({ serverId: waiting, fence: 7, step: 'destroy' });
    await world.destroy(late);
    expect(await world.answered(late)).toMatchObject({ error: { code: 'fence.stale' } });
  });

  it('answers from the journal for what it did before it died', async () => {
    const ref = world.ref();
    await world.build(ref);
    await world.answered(ref);
    await restart('kill');
    await world.build({ ...ref, fence: 2 });
    await world.until(() => world.answers(ref).some((a) => a.operation.fence === 2));
    expect(world.answers(ref).at(-1)).toMatchObject({ outcome: 'done', replayed: true });
    expect(world.effects(ref.serverId)).toEqual(['spawn']);
  });

  it('tells a result that nobody had taken when it died', async () => {
    const ref = world.ref();
    const broken = world.refuse('conductor.operationFinished');
    await world.build(ref);
    await world.until(() => broken.times() === 1);
    await world.endAgent('kill');
    broken.end();
    expect(world.answers(ref)).toEqual([]);
    await world.startAgent();
    expect(await world.answered(ref)).toMatchObject({ outcome: 'done' });
  });

  it('tells a result again until it is taken', async () => {
    const ref = world.ref();
    const broken = world.refuse('conductor.operationFinished');
    await world.build(ref);
    await world.until(() => broken.times() === 1);
    await world.clock.advance(200);
    await world.until(() => broken.times() === 2);
    broken.end();
    await world.clock.advance(10_000);
    expect(await world.answered(ref)).toMatchObject({ outcome: 'done' });
  });

  it('leaves what it had begun to conductor, and does it once when asked again', async () => {
    const ref = world.ref();
    await world.build(ref, { metadata: { 'sim:hang_spawn': 'alive', 'sim:hang_spawn_times': '1' } });
    await world.underWay();
    await restart('kill');
    expect(world.conductor.reattached.find((r) => r.host === 'a')?.guests).toEqual([
      { serverId: ref.serverId, fence: 1, powerState: POWER_STATES.nostate },
    ]);
    expect(world.answers(ref)).toEqual([]);
    await world.build({ ...ref, fence: 2 });
    expect(await world.answered(ref)).toEqual({
      operation: { ...ref, fence: 2 },
      outcome: 'done',
      powerState: POWER_STATES.running,
      at: world.clock.now(),
    });
    expect(world.effects(ref.serverId)).toEqual(['spawn']);
  });

  it('makes no second guest when it died between the effect and the journal', async () => {
    const ref = world.ref();
    const spawn = world.driver.spawn.bind(world.driver);
    jest.spyOn(world.driver, 'spawn').mockImplementation(async (...args) => {
      await spawn(...args);
      return new Promise(() => undefined); // dies here: the guest is there, the result is not
    });
    await world.build(ref);
    await world.until(() => world.effects(ref.serverId).length === 1);
    await restart('kill');
    await world.build(ref);
    expect(await world.answered(ref)).toMatchObject({ outcome: 'done', powerState: POWER_STATES.running });
    expect(world.effects(ref.serverId)).toEqual(['spawn']);
  });

  it('gives an interrupted build up when its successor is another operation', async () => {
    const build = world.ref();
    await world.build(build, { metadata: { 'sim:hang_spawn': 'alive' } });
    await world.underWay();
    await restart('kill');
    const destroy = world.ref({ serverId: build.serverId, taskId: build.taskId, fence: 2, step: 'destroy' });
    await world.destroy(destroy, false);
    expect(await world.answered(destroy)).toMatchObject({ outcome: 'done' });
    expect(await world.answered(build)).toMatchObject({ outcome: 'failed', error: { code: 'operation.superseded' } });
    await world.build(build); // redelivered late
    await world.until(() => world.answers(build).length === 2);
    expect(world.answers(build)[1]).toMatchObject({ error: { code: 'fence.stale' } });
    expect(world.effects(build.serverId)).toEqual([]);
  });

  it('ends operations that hang when it goes down, and tells nothing of them', async () => {
    const ref = world.ref();
    await world.build(ref, { metadata: { 'sim:hang_spawn': 'alive' } });
    await world.underWay();
    await restart('close');
    expect(world.answers(ref)).toEqual([]);
    expect(await world.driver.guests('a')).toEqual([]);
  });

  it('finishes what is under way when it goes down in order', async () => {
    const ref = world.ref();
    await world.build(ref, { metadata: { 'sim:delay_spawn': '0.5' } });
    await world.underWay();
    await restart('close');
    expect(await world.answered(ref)).toMatchObject({ outcome: 'done' });
  });

  it('has one guest at most per server, whatever is repeated and whenever it dies', async () => {
    const refs = Array.from({ length: 6 }, (_, i) => world.ref({ host: i % 2 ? 'a' : 'b' }));
    for (let life = 0; life < 4; life++) {
      for (const ref of refs) {
        await world.build({ ...ref, fence: life + 1 });
        if (life % 2) await world.build({ ...ref, fence: life + 1 });
      }
      for (let turns = 0; turns < life * 7; turns++) await new Promise((resolve) => setImmediate(resolve));
      await restart('kill');
    }
    for (const ref of refs) await world.build({ ...ref, fence: 9 });
    await world.until(() => refs.every((ref) => world.answers(ref).some((a) => a.operation.fence === 9)));
    expect(doubleGuests(world.ledger())).toEqual([]);
    expect(world.ledger().map((e) => e.effect)).toEqual(refs.map(() => 'spawn'));
  });
});
