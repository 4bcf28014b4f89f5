/** Who may say what of a host, over a transport that knows its users. */
import { NestFactory } from '@nestjs/core';
import { ServicesRepository } from '@fractus/compute-db';
import { eachDatabase } from '@fractus/database/testing';
import type { RequestContext } from '@fractus/objects';
import { createInProcessTransport, type InProcessTransport, rpcClient, serveRpc } from '@fractus/rpc';
import { type Client, conductorContract, type OperationRef } from '@fractus/rpc-contracts';
import { createMetrics } from '@fractus/telemetry';
import { ConductorModule } from '../src/app.module';
import { hostState } from './world/fixtures';
import { recordingLogger, type Line } from './world/log';
import { World } from './world/world';

jest.setTimeout(60_000);

const ctx: RequestContext = { requestId: 'req-1', userId: null, projectId: null, roles: [] };
const NODE = 'b8f4f8a7-6d3e-4a7c-9a52-0e6a1c1f0a01';
const NOBODY = '7b1d5c9e-0d0e-4a6e-8b57-53ad1e1c4f10';

eachDatabase('senders', (_open, dialect) => {
  let world: World;
  let bus: InProcessTransport;
  let lines: Line[];
  let close: () => Promise<void>;
  const metrics = createMetrics();

  beforeEach(async () => {
    const recorded = recordingLogger();
    ({ lines } = recorded);
    world = await World.make({ dialect, logger: recorded.logger, metrics });
    metrics.registry.resetMetrics();
    bus = createInProcessTransport({ retryDelayMs: () => 0 });
    const app = await NestFactory.createApplicationContext(ConductorModule.of(world.conductor), { logger: false });
    const serving = await serveRpc(app, bus.connect({ user: 'conductor' }), { contracts: [conductorContract] });
    close = async () => {
      await serving.close();
      await app.close();
      await bus.close();
    };
  });
  afterEach(async () => {
    await close();
    await world.end();
  });

  const as = (user?: string): Client<typeof conductorContract> =>
    rpcClient(bus.connect(user === undefined ? {} : { user }), conductorContract);
  const agent = { agentId: 'a1', incarnation: 1, serviceVersion: 1 };
  const register = (user: string | undefined, host = 'host1', nodeId = world.hosts[0]!.nodeId) =>
    as(user).registerHosts(ctx, { ...agent, hosts: [hostState(host, nodeId, 8)] });
  /** Until something was dropped, or found no handler that bears it. */
  const handled = async (): Promise<void> => {
    while ((await dropped()).size === 0 && (await bus.deadLetters.list()).length === 0) await new Promise(setImmediate);
  };
  const dropped = async (): Promise<Map<string, number>> => {
    const name = 'fractus_conductor_dropped_messages_total';
    const { values } = await metrics.registry.getSingleMetric(name)!.get();
    return new Map(values.map((v) => [`${v.labels['method']} ${v.labels['reason']}`, v.value]));
  };
  const told = (): Line[] => lines.filter((l) => /belong to their sender/.test(l.msg));
  const noDeadLetters = async (): Promise<void> => expect(await bus.deadLetters.list()).toEqual([]);

  /** A server whose build host1 was asked for and does not answer. */
  const building = async (): Promise<OperationRef> => {
    world.agents.behaviour.set('host1', 'silent');
    const [serverId = ''] = await world.create();
    await world.idle();
    const task = (await world.tasks.openOf(serverId))!;
    const { id: taskId, step, attempt, fence } = task;
    return { taskId, serverId, step, attempt, fence, host: 'host1', silenceSeconds: 300 };
  };

  it('take a host by registering it first, for all agents of the user, until its service is deleted', async () => {
    await register('ann');
    await register('ann');
    await expect(register('bob')).rejects.toMatchObject({ kind: 'conflict', code: 'host.other_user' });
    const service = (await world.conductor.tools.hosts.computeService('host1'))!;
    expect(service.rpcUser).toBe('ann');
    await expect(register('bob')).rejects.toThrow(
      `host host1 was registered by another RPC user; an operator frees it by deleting its compute service ${service.id}`,
    );
    await new ServicesRepository(world.db).delete(service);
    await register('bob');
    expect((await world.conductor.tools.hosts.computeService('host1'))?.rpcUser).toBe('bob');
  });

  it('take no host that is new to them with one of another user', async () => {
    await register('ann');
    const hosts = [hostState('host9', NODE, 8), hostState('host1', world.hosts[0]!.nodeId, 8)];
    await expect(as('bob').registerHosts(ctx, { ...agent, hosts })).rejects.toMatchObject({ code: 'host.other_user' });
    expect(await world.conductor.tools.hosts.computeService('host9')).toBeNull();
  });

  it('are not asked for where the transport knows no users', async () => {
    await register('ann');
    await register(undefined);
    expect((await world.conductor.tools.hosts.computeService('host1'))?.rpcUser).toBe('ann');
    const operation = await building();
    await as().operationFinished(ctx, { operation, outcome: 'done', powerState: 1 });
    while ((await world.get(operation.serverId)).vmState !== 'active') await new Promise(setImmediate);
    expect(await dropped()).toEqual(new Map());
  });

  it('may not be nobody, where the transport knows users', async () => {
    await expect(register('')).rejects.toMatchObject({ kind: 'forbidden', code: 'host.sender_unknown' });
    const operation = await building();
    await as('').operationFinished(ctx, { operation, outcome: 'done' });
    await handled();
    expect(await dropped()).toEqual(new Map([['operationFinished unknown_sender', 1]]));
  });

  it('of another user than the host has end no operation and prolong none; it is dropped, counted, and told once', async () => {
    await register('ann');
    const operation = await building();
    const before = await world.tasks.find(operation.taskId);
    world.now += 1000;
    for (let n = 0; n < 3; n++) await as('bob').operationFinished(ctx, { operation, outcome: 'done', powerState: 1 });
    for (let n = 0; n < 3; n++) await as('bob').operationProgress(ctx, { operation, phase: 'spawning', percent: 50 });
    while (((await dropped()).get('operationProgress foreign_host') ?? 0) < 3) await new Promise(setImmediate);
    expect(await dropped()).toEqual(
      new Map([
        ['operationFinished foreign_host', 3],
        ['operationProgress foreign_host', 3],
      ]),
    );
    expect(await world.tasks.find(operation.taskId)).toEqual(before);
    expect(told().map((l) => [l['method'], l['reason'], l['sender'], l['host']])).toEqual([
      ['operationFinished', 'foreign_host', 'bob', 'host1'],
      ['operationProgress', 'foreign_host', 'bob', 'host1'],
    ]);
    await noDeadLetters();
  });

  it('of the user that the host has do', async () => {
    await register('ann');
    const operation = await building();
    await as('ann').operationProgress(ctx, { operation, phase: 'image', percent: 40 });
    while ((await world.get(operation.serverId)).progress !== 40) await new Promise(setImmediate);
    await as('ann').operationFinished(ctx, { operation, outcome: 'done', powerState: 1 });
    while ((await world.get(operation.serverId)).vmState !== 'active') await new Promise(setImmediate);
    expect(await dropped()).toEqual(new Map());
  });

  it('that serve one host end no operation of a task that never went there', async () => {
    await register('ann');
    await register('bob', 'host2', world.hosts[1]!.nodeId);
    const operation = { ...(await building()), host: 'host2' };
    const before = await world.tasks.find(operation.taskId);
    await as('bob').operationFinished(ctx, { operation, outcome: 'done', powerState: 1 });
    await handled();
    await as('bob').operationProgress(ctx, { operation, phase: 'spawning' });
    await register('bob', 'host2', world.hosts[1]!.nodeId);
    expect(await dropped()).toEqual(new Map([['operationFinished not_on_host', 1]]));
    expect(await world.tasks.find(operation.taskId)).toEqual(before);
    expect(world.agents.effects).toEqual([]);
    await noDeadLetters();
  });

  it('say nothing of guests on hosts that are not theirs, or of guests that are elsewhere', async () => {
    await register('ann');
    await register('bob', 'host2', world.hosts[1]!.nodeId);
    const serverId = await world.serverIn('active');
    const { fence } = await world.get(serverId);
    const event = { serverId, host: 'host1', fence, powerState: 4, at: world.now };
    await as('bob').guestEvent(ctx, event);
    await handled();
    await as('bob').guestEvent(ctx, { ...event, host: 'host2' });
    while ((await dropped()).size < 2) await new Promise(setImmediate);
    expect(await dropped()).toEqual(
      new Map([
        ['guestEvent foreign_host', 1],
        ['guestEvent not_on_host', 1],
      ]),
    );
    expect((await world.get(serverId)).vmState).toBe('active');
    await as('ann').guestEvent(ctx, event);
    while ((await world.get(serverId)).vmState !== 'stopped') await new Promise(setImmediate);
    await noDeadLetters();
  });

  it('learn nothing of guests on hosts that are not theirs', async () => {
    await register('ann');
    const question = { agentId: 'a1', host: 'host1', guests: [{ serverId: NOBODY, fence: 1, powerState: 1 }] };
    await expect(as('bob').reattachHost(ctx, question)).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'host.not_yours',
    });
    await expect(as('ann').reattachHost(ctx, question)).resolves.toMatchObject({ guests: [{ verdict: 'keep' }] });
  });

  it('report of their own hosts; what else is in the report is dropped, and the rest is taken', async () => {
    await register('ann');
    await register('bob', 'host2', world.hosts[1]!.nodeId);
    world.now += 60_000;
    const states = [0, 1].map((n) => ({ ...hostState(`host${n + 1}`, world.hosts[n]!.nodeId, 8), vcpusUsed: 5 }));
    const intruder = hostState('host7', NODE, 8);
    const report = { agentId: 'a1', incarnation: 1, seq: 5, alive: ['host1', 'host2', 'host7'] };
    await as('bob').hostReport(ctx, { ...report, changed: [...states, intruder] });
    const { hosts } = world.conductor.tools;
    while ((await hosts.nodeOf('host2'))?.vcpusUsed !== 5) await new Promise(setImmediate);
    expect((await hosts.nodeOf('host1'))?.vcpusUsed).toBe(0);
    expect(await hosts.nodeOf('host7')).toBeNull();
    expect((await hosts.computeService('host1'))?.lastSeenAt).toBe(world.now - 60_000);
    expect((await hosts.computeService('host2'))?.lastSeenAt).toBe(world.now);
    expect(await dropped()).toEqual(new Map([['hostReport foreign_host', 2]]));
    await noDeadLetters();
  });
});
