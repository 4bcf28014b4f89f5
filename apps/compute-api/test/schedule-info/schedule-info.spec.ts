import { randomUUID } from 'node:crypto';
import { ScheduleAttemptsRepository } from '@fractus/compute-db';
import type { ScheduleReport } from '@fractus/scheduling';
import { ServersWorld } from '../servers/servers-world';

const report: ScheduleReport = {
  outcome: 'no_valid_host',
  hostCount: 2,
  summary: '2 hosts: 1 outside the availability zone or aggregates asked for, 1 down',
  stages: [
    { stage: 'request_filter', name: 'map_az_to_placement_aggregate', constraints: ['member_of in:secret-aggregate'] },
    { stage: 'placement', group: '', check: 'member_of', detail: 'secret-aggregate', in: 2, out: 1 },
    { stage: 'filter', name: 'ComputeFilter', in: 1, out: 0, reasons: { 'host.down': 1 } },
  ],
  hosts: [
    {
      host: 'secret-host',
      stage: 'filter',
      by: 'ComputeFilter',
      code: 'host.down',
      have: 90,
      need: 60,
      sentence: 'secret-host has not been heard of for 90 s.',
    },
  ],
  hostsOmitted: 0,
  weighed: [],
};

describe('what the scheduler made of a server', () => {
  let world: ServersWorld;
  beforeEach(async () => void (world = await ServersWorld.start()));
  afterEach(async () => {
    expect(world.api.schemaFaults).toEqual([]);
    await world.close();
  });
  const admin = { as: 'admin:admin' };
  const owner = { as: 'joe:p1' };
  const info = (id: string, ask: object = owner, query = '') =>
    world.api.get(`/v2.1/servers/${id}/os-schedule-info${query}`, ask);
  const attempted = async (serverId: string, startedAt: number): Promise<string> => {
    const attemptId = randomUUID();
    await new ScheduleAttemptsRepository(world.api.database).add({
      attemptId,
      serverId,
      taskId: null,
      requestId: 'req-1',
      operation: 'create',
      outcome: 'no_valid_host',
      summary: report.summary,
      report,
      startedAt,
      durationMs: 5,
    });
    return attemptId;
  };

  it('is told to its owner without hosts and aggregates, to operators with them', async () => {
    const id = await world.made();
    const attempt = await attempted(id, Date.UTC(2026, 0, 1));
    const seen = await info(id);
    expect(seen.status).toBe(200);
    expect(JSON.stringify(seen.body)).not.toContain('secret');
    expect(seen.body.schedule_info).toEqual([
      {
        id: attempt,
        request_id: 'req-1',
        operation: 'create',
        outcome: 'no_valid_host',
        at: '2026-01-01T00:00:00.000000',
        duration_ms: 5,
        summary: report.summary,
        host_count: 2,
        stages: expect.arrayContaining([expect.objectContaining({ check: 'member_of', in: 2, out: 1 })]),
      },
    ]);
    const told = await info(id, admin);
    expect(told.body.schedule_info[0]).toMatchObject({ hosts: report.hosts, stages: report.stages, chosen: null });
  });

  it('is there in every microversion, for those who see the server', async () => {
    const id = await world.made();
    for (const version of ['2.1', '2.50', '2.104'])
      expect((await info(id, { ...owner, version })).body).toEqual({ schedule_info: [] });
    expect((await info(id, { as: 'eve:p2' })).status).toBe(404);
    expect((await info(randomUUID())).status).toBe(404);
    expect((await info('no-uuid', admin)).status).toBe(404);
  });

  it('is read by pages, each attempt once, the newest first', async () => {
    const id = await world.made();
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.unshift(await attempted(id, i));
    const seen: string[] = [];
    let query: string | undefined = '?limit=2';
    while (query !== undefined) {
      const { body }: { body: { schedule_info: { id: string }[]; schedule_info_links?: { href: string }[] } } =
        await info(id, owner, query);
      seen.push(...body.schedule_info.map((a) => a.id));
      query = body.schedule_info_links?.[0]?.href.replace(/^[^?]*/, '');
    }
    expect(seen).toEqual(made);
    const foreign = await attempted(await world.made(), 9);
    for (const bad of ['?limit=x', '?limit=-1', `?marker=${foreign}`, '?marker=none', '?unknown=1'])
      expect((await info(id, owner, bad)).status).toBe(400);
    expect((await info(id, owner, '?limit=0')).body).toEqual({ schedule_info: [] });
  });

  it('is asked ahead of time with the same bodies as a create, checked by the same rules', async () => {
    const ask = (body: unknown, version = '2.37', as = 'joe:p1') =>
      world.api.post('/v2.1/os-schedule-dry-run', body, { version, as });
    const server = { name: 'one', imageRef: '11111111-1111-4111-8111-111111111111', flavorRef: '1', networks: 'none' };
    const refused = async (body: unknown, version?: string): Promise<string> => {
      const { status, body: answer } = await ask(body, version);
      expect(status).toBe(400);
      return answer.badRequest.message as string;
    };
    await refused({});
    expect(await refused({ server, resize: { server_id: randomUUID(), flavorRef: '2' } })).toMatch(/one of server/);
    expect(await refused({ 'os:scheduler_hints': {} })).toMatch(/one of server/);
    expect(await refused({ server: { ...server, networks: undefined } })).toMatch(/networks/);
    await refused({ server: { ...server, host: 'h1' } }, '2.73');
    expect(await refused({ server: { ...server, flavorRef: '99' } })).toMatch(/Flavor 99/);
    expect(await refused({ resize: { server_id: 'x', flavorRef: '1' } })).toMatch(/server_id/);
    expect(await refused({ unknown: {} })).toMatch(/unknown/);
    const migrate = { migrate: { server_id: await world.made() } };
    expect((await ask(migrate)).status).toBe(403);
    expect((await ask({ resize: { server_id: randomUUID(), flavorRef: '1' } })).status).toBe(404);
    // nobody here thinks it through: said, and not taken for an answer
    expect((await ask({ server })).status).toBeGreaterThanOrEqual(500);
  });
});
