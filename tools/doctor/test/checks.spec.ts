import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { eachDatabase } from '@fractus/database/testing';
import { RpcHandlers, serveRpc } from '@fractus/rpc';
import { defineContract, call, conductorContract, Empty, ReconcileFindings } from '@fractus/rpc-contracts';
import { createMetrics, silentLogger } from '@fractus/telemetry';
import type { Check } from '../src/checks/check';
import { clocksCheck } from '../src/checks/clocks.check';
import { allocationsCheck } from '../src/checks/allocations.check';
import { brokerCheck } from '../src/checks/broker.check';
import { guestsCheck } from '../src/checks/guests.check';
import { hostsCheck } from '../src/checks/hosts.check';
import { reconcilersCheck } from '../src/checks/reconcilers.check';
import { resourcesCheck } from '../src/checks/resources.check';
import { servicesCheck } from '../src/checks/services.check';
import { tasksCheck } from '../src/checks/tasks.check';
import { World } from './world';

const MINUTE = 60_000;

eachDatabase('the doctor’s checks', (open) => {
  let world: World;
  beforeEach(async () => {
    world = await World.open(open);
  });
  afterEach(() => world.close());
  const texts = async (check: Check, patient = world.patient()): Promise<string[]> =>
    (await check.run(patient)).findings.map((f) => f.text);

  it('tell services that fell silent, but not those that were forced down', async () => {
    expect(await texts(servicesCheck)).toEqual([
      'no nova-conductor has ever reported',
      'no nova-compute has ever reported',
    ]);
    await world.host('h1');
    await world.host('h2', { silentFor: 5 * MINUTE });
    await world.hosts.heartbeat('nova-conductor', 'c1', randomUUID, Date.now());
    expect(await texts(servicesCheck)).toEqual([expect.stringMatching(/^1 of 2 nova-compute down: h2 \(for 5 min/)]);
    expect(await texts(servicesCheck, world.patient({}, { serviceDownMs: 10 * MINUTE }))).toEqual([]);
    const service = await world.hosts.computeService('h2');
    await world.hosts.updateService(service!.id, { forcedDown: true }, Date.now());
    const seen = await servicesCheck.run(world.patient());
    expect([seen.findings, seen.looked]).toEqual([[], '2 services up, 1 forced down']);
  });

  it('tell hosts that are registered twice, and halves', async () => {
    const nodeId = await world.host('h1');
    await world.host('h2');
    expect(await texts(hostsCheck)).toEqual([]);
    await world.host('h1', { node: 'hypervisor-9' });
    await world.host('h3', { node: 'h2' });
    await world.host('h4', { vcpus: 0 });
    await world.db.transaction(async (tx) => {
      await tx.execute("DELETE FROM compute_nodes WHERE host = 'h4'");
      await tx.execute("DELETE FROM services WHERE host = 'h3'");
    });
    const found = await texts(hostsCheck);
    expect(found).toEqual([
      expect.stringMatching(new RegExp(`^host h1 is registered 2 times: ${nodeId} on h1, .* on h1$`)),
      expect.stringMatching(/^hypervisor h2 is registered 2 times: .* on h2, .* on h3$/),
      'without a compute node: h4',
      'without a service: h3',
    ]);
  });

  it('tell hosts that give nothing', async () => {
    await world.host('h1');
    expect(await texts(resourcesCheck)).toEqual([]);
    await world.host('h2', { vcpus: 0 });
    expect(await texts(resourcesCheck)).toEqual(['without resources in Placement: h2']);
  });

  it('tell tasks that are stuck', async () => {
    const server = await world.server(null);
    const id = await world.task(server, {}, Date.now() - 5 * MINUTE);
    expect(await texts(tasksCheck)).toEqual([
      expect.stringMatching(new RegExp(`^stop-server ${id}: due for \\d+ s and no conductor takes it up$`)),
    ]);
    await world.db.transaction((tx) => tx.execute("UPDATE tasks SET status = 'done', open_key = NULL"));
    const seen = await tasksCheck.run(world.patient());
    expect([seen.findings, seen.looked]).toEqual([[], '0 are open, none is stuck']);
  });

  it('tell servers whose allocation is missing, or of another host, but not those that somebody works on', async () => {
    const nodeId = await world.host('h1');
    const other = await world.host('h2');
    const at = { host: 'h1', nodeId };
    await world.server(at);
    await world.server(null, { allocated: false });
    const busy = await world.server(at, { allocated: false });
    await world.task(busy);
    expect(await texts(allocationsCheck)).toEqual([]);
    const bare = await world.server(at, { allocated: false });
    const astray = await world.server(at, { allocated: other });
    expect(await texts(allocationsCheck)).toEqual([
      `1 server on a host without an allocation: ${bare}`,
      `1 server whose allocation is of another host: ${astray}`,
    ]);
  });

  it('tell hosts with more or fewer guests than servers, once they are at rest', async () => {
    const many = { host: 'h1', nodeId: await world.host('h1', { guests: 2 }) };
    const few = { host: 'h2', nodeId: await world.host('h2', { guests: 0 }) };
    const right = { host: 'h3', nodeId: await world.host('h3', { guests: 1 }) };
    for (const at of [many, few, right]) await world.server(at);
    // a guest that is off is still there with some hypervisors, and not counted with others
    await world.server(right, { powerState: 4 });
    expect(await texts(guestsCheck)).toEqual([
      'host h1 reports 2 guests, but 1 server lives there',
      'host h2 reports 0 guests, but 1 server should run there',
    ]);
    for (const at of [many, few]) await world.task(await world.server(at));
    expect(await texts(guestsCheck)).toEqual([]);
  });

  it('tell agents whose clock is off by what their answers bear', async () => {
    const begun = Date.now() - MINUTE;
    const ended = begun + 10_000;
    const answered = async (host: string, at: number): Promise<void> => {
      const server = await world.server(null);
      const state = { $: { answered: { host, at } } };
      await world.task(server, { status: 'done', finishedAt: ended, state }, begun);
    };
    await answered('h1', begun + 4_000);
    await answered('h2', ended + 30_000);
    await answered('h3', begun - 90_000);
    await answered('h4', ended + 2_000);
    const found = await texts(clocksCheck);
    expect(found.sort()).toEqual([
      'the clock of host h2 was 30 s or more ahead at its last answer',
      'the clock of host h3 was 1 min 30 s or more behind at its last answer',
    ]);
  });

  it('tell of dead letters by kind', async () => {
    const transport = world.transport;
    const options = {
      topic: 'conductor',
      queue: 'work',
      instance: '',
      castPrefetch: 9,
      callPrefetch: 1,
      news: false,
    } as const;
    await transport.consume(options, (d) => d.dead('no such thing\nat x'));
    expect(await texts(brokerCheck)).toEqual([]);
    for (const id of ['1', '2'])
      await transport.cast({ topic: 'conductor' }, { id, pattern: 'conductor.x', body: '{}' });
    while ((await transport.deadLetters.list()).length < 2) await new Promise(setImmediate);
    expect(await texts(brokerCheck)).toEqual([
      expect.stringMatching(/^2 dead letters of conductor.x, the oldest \d+ s old: no such thing$/),
    ]);
    await expect(brokerCheck.run(world.patient({ kind: 'embedded' }))).rejects.toMatchObject({ name: 'NotHere' });
  });

  it('make one pass of the reconcilers, and tell what is not put right first', async () => {
    expect(await texts(reconcilersCheck)).toEqual(['no conductor is there to be asked']);
    await expect(reconcilersCheck.run(world.patient({}, { reconcile: false }))).rejects.toMatchObject({
      name: 'NotHere',
    });
    const only = defineContract('conductor', 'queue', {
      runReconcilers: call(Empty, ReconcileFindings, conductorContract.methods.runReconcilers.timeoutMs),
    });
    const found = (acted: boolean, n: number) => ({
      reconciler: 'r',
      subject: `server ${n}`,
      finding: 'It is odd.',
      acted,
      outcome: 'It waits.',
    });
    let findings = [found(true, 1), found(false, 2)];
    @RpcHandlers(only)
    class Conductor {
      async runReconcilers(): Promise<ReconcileFindings> {
        return { findings };
      }
    }
    @Module({ controllers: [Conductor] })
    class App {}
    const app = await NestFactory.createApplicationContext(App, { logger: false });
    const serving = await serveRpc(app, world.transport, {
      contracts: [only],
      logger: silentLogger(),
      metrics: createMetrics(),
    });
    expect(await texts(reconcilersCheck)).toEqual([
      'r, server 2: It is odd. It waits.',
      'r, server 1: It is odd. Done: It waits.',
    ]);
    findings = Array.from({ length: 30 }, (_, i) => found(true, i));
    expect((await texts(reconcilersCheck)).slice(-2)).toEqual([expect.stringContaining('server 19'), 'and 10 more']);
    findings = [];
    expect(await texts(reconcilersCheck)).toEqual([]);
    await serving.close();
    await app.close();
  });
});
