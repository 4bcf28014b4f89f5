import { statementsOf } from '@fractus/database/testing';
import { hostState, startHostsWorld, uuid, type HostsWorld } from '../hosts/hosts-world';

/** Placement in this world has providers, and does not know how to tell of trees. */
describe('capabilities of hypervisors while Placement does not answer', () => {
  let world: HostsWorld;
  beforeEach(async () => {
    world = await startHostsWorld();
    const gold = hostState(2, {
      traits: ['COMPUTE_NODE', 'CUSTOM_GOLD'],
      capabilities: { supports_multiattach: true },
    });
    await world.hosts.report({ agentId: 'a', incarnation: 1, seq: 1 }, ['h2'], [gold], Date.now());
  });
  afterEach(() => world.close());
  const get = (path: string) => world.call('GET', `/os-hypervisors${path}`, '2.53');
  const silent = [{ part: 'placement', code: 'placement.unimplemented', message: expect.any(String) }];

  it('are what the agent reported, and say what is not known', async () => {
    const { status, body } = await get(`/${uuid(2)}/capabilities`);
    expect(status).toBe(200);
    expect(body.capabilities).toMatchObject({
      host: 'h2',
      driver_capabilities: { supports_multiattach: true, supports_evacuate: null },
      traits: { owned: ['COMPUTE_NODE', 'CUSTOM_GOLD'], external: null, unset: null },
      inventory: null,
      nested_providers: null,
      missing_lately: { attempts: 0, items: [] },
      unknown: silent,
    });
  });

  it('choose by the traits that agents reported', async () => {
    const { status, body } = await get('/capabilities?trait=CUSTOM_GOLD');
    expect([status, body.capabilities.map((c: { host: string }) => c.host)]).toEqual([200, ['h2']]);
    expect(body.unknown).toEqual(silent);
    expect((await get('/capabilities?capability=supports_multiattach')).body.capabilities).toHaveLength(1);
  });

  it('ask no agent, and cost three statements', async () => {
    const statements = await statementsOf(world.db, async () => {
      await get(`/${uuid(1)}/capabilities`);
    });
    expect(statements).toHaveLength(3);
    expect(world.asked).toEqual([]);
  });
});
