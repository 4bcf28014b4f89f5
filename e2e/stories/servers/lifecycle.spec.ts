import { covers, Servers, useCloud } from '@fractus/testing';

describe('the lifecycle of a server', () => {
  const cloud = useCloud({ hosts: 2 });
  let demo: Servers;
  let admin: Servers;
  let id: string;
  beforeAll(async () => {
    demo = new Servers(cloud().demo);
    admin = new Servers(cloud().admin);
    id = await demo.boot();
  });

  /** Status, its guest's power state, and the body that leads there. */
  const STEPS: [body: Record<string, unknown>, status: string, power: number][] = [
    [{ 'os-stop': null }, 'SHUTOFF', 4],
    [{ 'os-start': null }, 'ACTIVE', 1],
    [{ reboot: { type: 'SOFT' } }, 'ACTIVE', 1],
    [{ reboot: { type: 'HARD' } }, 'ACTIVE', 1],
    [{ pause: null }, 'PAUSED', 3],
    [{ unpause: null }, 'ACTIVE', 1],
    [{ suspend: null }, 'SUSPENDED', 7],
    [{ resume: null }, 'ACTIVE', 1],
  ];
  it.each(STEPS)('%j leads to %s', async (body, status, power) => {
    const server = await demo.perform(id, body, status);
    expect(server['OS-EXT-STS:power_state']).toBe(power);
  });

  it('a hard reboot brings back what is stopped, paused or suspended', async () => {
    for (const [body, status] of [
      [{ 'os-stop': null }, 'SHUTOFF'],
      [{ pause: null }, 'PAUSED'],
      [{ suspend: null }, 'SUSPENDED'],
    ] as const) {
      await demo.perform(id, body, status);
      await demo.perform(id, { reboot: { type: 'hard' } }, 'ACTIVE');
    }
  });

  const refusals = (verb: string, vmState: string): string =>
    `Cannot '${verb}' instance ${id} while it is in vm_state ${vmState}`;
  it.each([
    [
      'ACTIVE',
      'active',
      null,
      [{ 'os-start': null }, 'start'],
      [{ unpause: null }, 'unpause'],
      [{ resume: null }, 'resume'],
    ],
    [
      'SHUTOFF',
      'stopped',
      { 'os-stop': null },
      [{ 'os-stop': null }, 'stop'],
      [{ pause: null }, 'pause'],
      [{ suspend: null }, 'suspend'],
      [{ reboot: { type: 'SOFT' } }, 'reboot'],
    ],
    [
      'PAUSED',
      'paused',
      { pause: null },
      [{ 'os-stop': null }, 'stop'],
      [{ pause: null }, 'pause'],
      [{ 'os-start': null }, 'start'],
      [{ reboot: { type: 'SOFT' } }, 'reboot'],
    ],
    [
      'SUSPENDED',
      'suspended',
      { suspend: null },
      [{ 'os-stop': null }, 'stop'],
      [{ suspend: null }, 'suspend'],
      [{ unpause: null }, 'unpause'],
    ],
  ] as const)('in %s refuses what does not fit, and says so', async (status, vmState, lead, ...bad) => {
    if (lead) await demo.perform(id, lead, status);
    for (const [body, verb] of bad as unknown as [Record<string, unknown>, string][]) {
      const answer = await demo.act(id, body);
      expect([answer.status, answer.body.conflictingRequest?.message]).toEqual([409, refusals(verb, vmState)]);
    }
    expect((await demo.show(id)).status).toBe(status);
    if (lead) await demo.perform(id, { reboot: { type: 'HARD' } }, 'ACTIVE');
  });

  it('one of two that act at the same time wins, the other hears of the task', async () => {
    const slow = await demo.boot({ server: { metadata: { 'sim:delay_stop': '0.3' } } });
    const [a, b] = await Promise.all([demo.act(slow, { 'os-stop': null }), demo.act(slow, { pause: null })]);
    expect([a.status, b.status].sort()).toEqual([202, 409]);
    const loser = [a, b].find((x) => x.status === 409)!;
    expect(loser.body.conflictingRequest.message).toMatch(
      /^Cannot '(stop|pause)' instance \S+ while it is in task_state (powering-off|pausing)$/,
    );
    await demo.delete(slow);
  });

  it('a locked server takes its owner’s actions no more, an administrator’s it does', async () => {
    expect((await demo.act(id, { lock: { locked_reason: 'in use' } })).status).toBe(202);
    expect(await demo.show(id)).toMatchObject({ locked: true, locked_reason: 'in use' });
    for (const body of STEPS.map(([b]) => b)) {
      const answer = await demo.act(id, body);
      expect([answer.status, answer.body.conflictingRequest.message]).toEqual([409, `Instance ${id} is locked`]);
    }
    const kept = await cloud().demo.compute.delete(`/servers/${id}`);
    expect([kept.status, kept.body.conflictingRequest.message]).toEqual([409, `Instance ${id} is locked`]);
    await admin.perform(id, { 'os-stop': null }, 'SHUTOFF');
    await admin.perform(id, { 'os-start': null }, 'ACTIVE');
    expect((await demo.act(id, { unlock: null })).status).toBe(202);
    expect(await demo.show(id)).toMatchObject({ locked: false, locked_reason: null });
    await demo.perform(id, { 'os-stop': null }, 'SHUTOFF');
    await demo.perform(id, { 'os-start': null }, 'ACTIVE');
  });

  it('what an administrator locked, the owner cannot unlock', async () => {
    expect((await admin.act(id, { lock: null })).status).toBe(202);
    const answer = await demo.act(id, { unlock: null });
    expect([answer.status, answer.body.forbidden.message]).toEqual([
      403,
      expect.stringContaining('os_compute_api:os-lock-server:unlock:unlock_override'),
    ]);
    expect((await admin.act(id, { unlock: null })).status).toBe(202);
    expect((await demo.show(id)).locked).toBe(false);
  });

  it('a reason comes with 2.73, not before', async () => {
    expect((await demo.act(id, { lock: { locked_reason: 'x' } }, { version: '2.73' })).status).toBe(202);
    expect((await demo.show(id, '2.73')).locked_reason).toBe('x');
    expect(await demo.show(id, '2.72')).not.toHaveProperty('locked_reason');
    expect((await demo.act(id, { lock: { locked_reason: 7 } }, { version: '2.73' })).status).toBe(400);
    expect((await demo.act(id, { unlock: null }, { version: '2.73' })).status).toBe(202);
    expect((await demo.act(id, { lock: { locked_reason: 7 } }, { version: '2.72' })).status).toBe(202);
    expect((await demo.act(id, { unlock: null }, { version: '2.72' })).status).toBe(202);
  });

  it.each([
    [{ reboot: { type: 'LUKEWARM' } }],
    [{ reboot: null }],
    [{ reboot: {} }],
    [{ 'no-such-action': null }],
    [{ pause: null, unpause: null }],
    [{}],
    [null],
    [[]],
    ['pause'],
  ])('the body %j is no action', async (body) => {
    expect((await demo.act(id, body as Record<string, unknown>)).status).toBe(400);
  });

  it('an action on a server that is not there is 404', async () => {
    for (const other of ['11111111-2222-3333-4444-555555555555', 'not-a-uuid']) {
      const { status, body } = await demo.act(other, { pause: null });
      expect([status, body.itemNotFound.message]).toEqual([404, `Instance ${other} could not be found.`]);
    }
  });

  it('an action that the hypervisor fails leaves the server as it was', async () => {
    const bad = await demo.boot({ server: { metadata: { 'sim:fail_pause': 'always' } } });
    expect((await demo.act(bad, { pause: null })).status).toBe(202);
    expect(await demo.becomes(bad, 'ACTIVE')).toMatchObject({ 'OS-EXT-STS:power_state': 1 });
    const { body } = await cloud().demo.compute.get(`/servers/${bad}/os-instance-actions`, { version: '2.104' });
    expect(body.instanceActions.find((a: { action: string }) => a.action === 'pause').message).toBe('Error');
    await demo.delete(bad);
  });

  covers(
    cloud,
    ['reboot', 'os-start', 'os-stop', 'pause', 'unpause', 'suspend', 'resume', 'lock', 'unlock'].map(
      (a) => `POST /servers/{server_id}/action ${a}`,
    ),
  );
});
