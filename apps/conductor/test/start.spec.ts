/** A conductor as a process has it: started, stopped, beside others, with and without its neighbours. */
import { randomUUID } from 'node:crypto';
import {
  COMPUTE_SCHEMA,
  HostsRepository,
  ServerOperations,
  ServersRepository,
  TasksRepository,
} from '@fractus/compute-db';
import { loadConfig } from '@fractus/config';
import type { Database } from '@fractus/database';
import { eachDatabase } from '@fractus/database/testing';
import { type FractusError, type RequestContext, unavailable } from '@fractus/objects';
import { createInProcessTransport, type InProcessTransport, rpcClient } from '@fractus/rpc';
import { conductorContract, type OperationProgress } from '@fractus/rpc-contracts';
import { createMetrics, silentLogger } from '@fractus/telemetry';
import { ConductorConfig, type RunningConductor, startConductor } from '../src/app.module';
import { ConductorController } from '../src/handlers/conductor.controller';
import { Patience } from '../src/handlers/patience';
import type { ConductorParts } from '../src/parts';
import { Presence } from '../src/presence';
import { FLAVOR } from './world/fixtures';
import { recordingLogger } from './world/log';

jest.setTimeout(60_000);

const ctx = { requestId: 'req-1', userId: null, projectId: null, roles: [] };
const T0 = 1_800_000_000_000;
const MINUTE = 60_000;

eachDatabase('startConductor', (open) => {
  let database: Database;
  let transport: InProcessTransport;
  let running: RunningConductor[];
  beforeEach(async () => {
    database = await open(COMPUTE_SCHEMA);
    transport = createInProcessTransport();
    running = [];
  });
  afterEach(async () => {
    for (const service of running.splice(0)) await service.close();
    await transport.close();
    await database.close();
  });

  const start = async (instance: string): Promise<RunningConductor> => {
    const env = { FRACTUS_CONDUCTOR_INSTANCE: instance, FRACTUS_CONDUCTOR_POLL_MS: '20' };
    const config = loadConfig(ConductorConfig, { env, prefix: 'FRACTUS_CONDUCTOR_' });
    const metrics = createMetrics();
    const own = transport.connect();
    const service = await startConductor({ config, database, transport: own, logger: silentLogger(), metrics });
    running.push(service);
    return service;
  };

  it('serves its contract, is ready, and drains', async () => {
    const service = await start('c1');
    expect(await service.ready()).toEqual([
      { part: 'database', ok: true },
      { part: 'rpc', ok: true },
      { part: 'instance', ok: true },
    ]);
    const client = rpcClient(transport, conductorContract);
    expect(await client.registerHosts(ctx, { agentId: 'a', incarnation: 1, serviceVersion: 1, hosts: [] })).toEqual({
      hosts: [],
    });
    await client.taskReady(ctx, { taskId: randomUUID() });
    // nobody serves placement here: the pass says so, and goes on
    const findings = [{ reconciler: 'orphan-allocations', acted: false, finding: 'It could not finish: Nobody serves placement' }]; // prettier-ignore
    expect(await client.runReconcilers(ctx, {})).toMatchObject({ findings });
    expect(await service.reconcileOnce()).toMatchObject(findings);
  });

  it('finds by itself what nobody hinted at, whichever of several it is, and outlives those that end', async () => {
    const [first] = [await start('c1'), await start('c2')];
    const operations = new ServerOperations(database);
    const server = {
      ...{ id: randomUUID(), projectId: 'p', userId: 'u', name: 'web', hostname: 'web', flavor: FLAVOR, image: null },
      ...{ requestedNetworks: 'none' as const, reservationId: 'r' },
    };
    const spec = {
      ...{ projectId: 'p', userId: 'u', flavor: FLAVOR, image: null, bootFromVolume: false, availabilityZone: null },
      ...{ requestedHost: null, requestedNode: null, schedulerHints: {} },
    };
    await first.close();
    running.shift();
    const [begun] = await operations.create({ ...ctx, userId: 'u', projectId: 'p' }, [{ server, spec }]);
    const tasks = new TasksRepository(database);
    while (((await tasks.find(begun!.taskId))?.fence ?? 0) === 0) await new Promise(setImmediate);
    expect(await new ServersRepository(database).get(server.id)).toMatchObject({ vmState: 'building' });
    const holders = await database.query<{ owner: string }>('SELECT lease_owner AS owner FROM tasks');
    expect(holders[0]?.owner ?? 'c2/').toMatch(/^c2\//);
  });

  const presenceOf = (instance: string, now: number, incarnation = now): Presence => {
    const hosts = new HostsRepository(database);
    return new Presence({ hosts, instance, incarnation, downMs: MINUTE, clock: () => now, logger: silentLogger() });
  };

  describe('the time in which no conductor lived', () => {
    it('is not known to the very first', async () => {
      expect(await presenceOf('c1', T0).arrive()).toEqual({ since: null });
    });

    it('is since the last one was seen, whichever it was', async () => {
      await presenceOf('c1', T0).arrive();
      await presenceOf('c2', T0 + 1000).arrive();
      expect(await presenceOf('c1', T0 + 10 * MINUTE).arrive()).toEqual({ since: T0 + 1000 });
    });

    it('is none while another lives, and while only a former life of its own was seen it is', async () => {
      await presenceOf('c1', T0).arrive();
      expect(await presenceOf('c1', T0 + 1000).arrive()).toEqual({ since: T0 });
      expect(await presenceOf('c2', T0 + 1000 + MINUTE).arrive()).toBeUndefined();
      expect(await presenceOf('c3', T0 + 1001 + 3 * MINUTE).arrive()).toEqual({ since: T0 + 1000 + MINUTE });
    });

    it('is known after the clock was set back too', async () => {
      await presenceOf('c1', T0).arrive();
      const back = presenceOf('c1', T0 - 30 * MINUTE);
      expect(await back.arrive()).toEqual({ since: T0 });
      expect(back.ready().ok).toBe(true);
      expect(await presenceOf('c2', T0 - 30 * MINUTE).arrive()).toBeUndefined();
    });
  });

  it('tells the one that was there first, once another takes its name', async () => {
    const { logger, lines } = recordingLogger();
    let now = T0;
    const options = { hosts: new HostsRepository(database), instance: 'c1', downMs: MINUTE, clock: () => now, logger };
    const first = new Presence({ ...options, incarnation: T0 });
    await first.arrive();
    now += 5000;
    await new Presence({ ...options, incarnation: now }).arrive();
    await first.beat();
    expect(first.ready()).toMatchObject({ part: 'instance', ok: false });
    expect(lines.map((l) => l.msg)).toEqual([
      'another conductor was started as instance c1: every running one needs a name of its own',
    ]);
  });
});

describe('patience', () => {
  const away = unavailable('away', { code: 'database.unavailable' });
  const trial = (failures: readonly FractusError[]) => {
    let now = T0;
    const paused: number[] = [];
    const { logger, lines } = recordingLogger();
    const pause = async (ms: number): Promise<void> => {
      paused.push(ms);
      now += ms;
    };
    const patience = new Patience({ logger, clock: () => now, pause });
    let n = 0;
    const work = async (): Promise<string> => {
      const failure = failures[Math.min(n++, failures.length - 1)];
      if (n <= failures.length && failure) throw failure;
      return 'done';
    };
    return { patience, work, paused, lines, tries: () => n, later: (ms: number) => (now += ms) };
  };

  it('does it again until the database is back, and says so once', async () => {
    const { patience, work, paused, lines } = trial([away, away, away, away, away]);
    expect(await patience.hold('operationFinished', work)).toBe('done');
    expect(paused).toEqual([250, 500, 1000, 2000, 2000]);
    expect(lines.map((l) => l.msg)).toEqual(['the database is away: operationFinished waits until it is back']);
  });

  it('holds nothing up that fails for another reason', async () => {
    const busy = unavailable('busy', { code: 'guest.busy' });
    const { patience, work, paused } = trial([busy]);
    await expect(patience.hold('guestEvent', work)).rejects.toBe(busy);
    expect(paused).toEqual([]);
  });

  it('makes no dead letter of a sign of life that comes in while the database is away', async () => {
    const told = (failure: FractusError) => {
      const { patience, work, paused, tries } = trial([failure]);
      const parts = { patience, operations: { progress: work } } as unknown as ConductorParts;
      const heard = new ConductorController(parts).operationProgress({} as RequestContext, {} as OperationProgress);
      return { heard, paused, tries };
    };
    const gone = told(away);
    await expect(gone.heard).resolves.toBe(undefined);
    expect([gone.tries(), gone.paused]).toEqual([1, []]);
    await expect(told(unavailable('other', { code: 'other' })).heard).rejects.toThrow('other');
  });

  it('ends in ten minutes, before a broker takes the message back, and at once when the process ends', async () => {
    const forever = trial(Array.from({ length: 1000 }, () => away));
    await expect(forever.patience.hold('guestEvent', forever.work)).rejects.toBe(away);
    expect(forever.paused.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(602_000);
    const ending = trial([away, away]);
    ending.patience.close();
    await expect(ending.patience.hold('guestEvent', ending.work)).rejects.toBe(away);
  });
});
