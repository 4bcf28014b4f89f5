import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TaskDetail, TaskSummary } from '@fractus/compute-db';
import { eachDatabaseUrl } from '@fractus/database/testing';
import { run, TestCompute } from './clouds';

const MINUTE = 60_000;

eachDatabaseUrl('the command on tasks', (newUrl) => {
  let cloud: TestCompute;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    cloud = await TestCompute.open(await newUrl());
    env = { FRACTUS_DATABASE_URL: cloud.url };
  });
  afterAll(() => cloud.close());
  beforeEach(() => cloud.db.transaction((tx) => tx.execute('DELETE FROM tasks')));
  const listed = async (...args: string[]): Promise<string[]> => {
    const { json } = await run(['--json', 'list', ...args], env);
    return (json() as { tasks: TaskSummary[] }).tasks.map((t) => t.id);
  };

  it('finds nothing, and says so by its exit code', async () => {
    const { code, written } = await run(['list'], env);
    expect([code, written.outs]).toEqual([1, ['no open tasks']]);
    expect((await run(['list', '--state', 'stuck'], env)).written.outs).toEqual(['no stuck tasks']);
    expect((await run(['--json', 'list'], env)).json()).toEqual({ tasks: [] });
  });

  it('lists by state, type, server, project and host, newest first', async () => {
    const ended = await cloud.add({ patch: { status: 'failed', finishedAt: Date.now() } });
    const waits = { step: 'spawn', waiting: true, awaitsHost: 'h7', readyAt: Date.now() + MINUTE };
    const awaiting = await cloud.add({ patch: waits });
    const stuck = await cloud.add({ type: 'stop-server', host: 'h7', addedAgo: 5 * MINUTE, projectId: 'p2' });
    expect(await listed()).toEqual([stuck.id, awaiting.id]);
    expect(await listed('--state', 'all')).toEqual([stuck.id, awaiting.id, ended.id]);
    expect(await listed('--state', 'ended')).toEqual([ended.id]);
    expect(await listed('--state', 'stuck')).toEqual([stuck.id]);
    expect(await listed('--type', 'stop-server')).toEqual([stuck.id]);
    expect(await listed('--server', awaiting.serverId)).toEqual([awaiting.id]);
    expect(await listed('--project', 'p2')).toEqual([stuck.id]);
    expect(await listed('--host', 'h7')).toEqual([stuck.id, awaiting.id]);
    expect(await listed('--host', 'h7', '--limit', '1')).toEqual([stuck.id]);
    expect(await listed('--host', 'nowhere')).toEqual([]);
    const { code, written } = await run(['list', '--state', 'all'], env);
    expect(code).toBe(0);
    expect(written.outs[0]).toMatch(/^ID +TYPE +STATE +STEP +SINCE +SERVER +NAME +NOTE$/);
    expect(written.outs[1]).toMatch(/ stop-server +stuck +– +5 min .* due for \d+ s and no conductor takes it up$/);
    expect(written.outs[2]).toContain('awaits h7');
  });

  it('shows one whole, and no secret of it', async () => {
    const { id, serverId } = await cloud.add({
      host: 'h1',
      patch: {
        step: 'spawn',
        state: TestCompute.SECRETIVE,
        waiting: true,
        awaitsHost: 'h1',
        readyAt: Date.now() + 9000,
      },
    });
    const [people, programs] = [await run(['show', id], env), await run(['show', id, '--json'], env)];
    expect([people.code, programs.code]).toEqual([0, 0]);
    for (const { written } of [people, programs]) {
      expect(written.text).toContain(serverId);
      expect(written.text).not.toMatch(/hunter2|S1VSWklHRU4/);
    }
    expect(people.written.text).toContain('the answer of host h1 to step');
    expect((programs.json() as { task: TaskDetail }).task).toMatchObject({ id, step: 'spawn', awaits: 'h1' });
  });

  it('has one tried again, unless a conductor has it', async () => {
    const { id } = await cloud.add({ patch: { readyAt: Date.now() + 9 * MINUTE } });
    const { code, written } = await run(['retry', id], env);
    expect([code, written.outs[0]]).toEqual([0, expect.stringContaining('is due now')]);
    const held = await cloud.add({ patch: { leaseOwner: 'c1/1', leaseUntil: Date.now() + MINUTE } });
    const refused = await run(['retry', held.id], env);
    expect([refused.code, refused.written.errs[0]]).toEqual([1, expect.stringContaining('c1/1 is working on task')]);
  });

  it('has one ended only when that is said twice, and by whom', async () => {
    const { id } = await cloud.add();
    const asked = await run(['abandon', id], env);
    expect([asked.code, asked.written.errs[0]]).toEqual([1, expect.stringContaining('say --yes')]);
    const done = await run(['abandon', id, '--yes', '--by', 'ann', '--reason', 'host h1 burned down', '--json'], env);
    expect(done.code).toBe(0);
    expect((done.json() as { task: TaskSummary }).task.endRequest).toMatchObject({
      by: 'ann',
      reason: 'host h1 burned down',
    });
    expect((await run(['list'], env)).written.text).toContain('to be ended');
    expect((await run(['show', id], env)).written.text).toContain('ann asked for its end');
    await cloud.db.transaction((tx) => tx.execute("UPDATE tasks SET status = 'done'"));
    const late = await run(['abandon', id, '--yes'], env);
    expect([late.code, late.written.errs[0]]).toEqual([1, expect.stringContaining('has ended: it is done')]);
  });

  it.each(['show', 'retry', 'abandon'])('cannot %s what is not there', async (verb) => {
    const { code, written } = await run([verb, randomUUID(), ...(verb === 'abandon' ? ['--yes'] : [])], env);
    expect([code, written.errs[0]]).toEqual([1, expect.stringContaining('there is no task')]);
  });
});

describe('the command on tasks', () => {
  const folders: string[] = [];
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'fractus-tasks-'));
    folders.push(folder);
    return folder;
  };

  it.each([
    [[], /Usage: tasks/],
    [['forget'], /unknown command 'forget'/],
    [['list', '--state', 'odd'], /Allowed choices are open, stuck, ended, all/],
    [['list', '--limit', '0'], /a whole number from 1/],
    [['list'], /say which cloud: --state-dir/],
    [['--state-dir', '/nowhere', 'list'], /is no state folder/],
    [['--database', 'postgres://u:hunter2@h/n', 'list'], /must begin with mysql:\/\/ or sqlite:/],
    [['--database', 'sqlite:/x', 'dead-letters'], /keeps its dead letters in its memory/],
    [['--database', 'mysql://u@h/n', 'dead-letters', 'list'], /give --state-dir, or --rpc/],
  ])('calls %j wrong usage', async (args, words) => {
    const { code, written } = await run(args);
    expect(written.text).toMatch(words);
    expect(written.text).not.toContain('hunter2');
    expect(code).toBe(2);
  });

  it('says what it cannot reach, without the password', async () => {
    const { code, written } = await run(['--database', 'mysql://u:hunter2@127.0.0.1:1/n', 'list']);
    expect([code, written.text]).toEqual([
      1,
      expect.stringContaining('cannot use the compute database mysql://u:***@'),
    ]);
    expect((await run(['--database', 'sqlite:/nowhere.db', 'list'])).written.text).toContain(
      'there is no compute database',
    );
  });

  it('finds the database of a cloud in one process by its folder, and leaves one that is behind alone', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'databases'));
    const cloud = await TestCompute.open(`sqlite:${join(folder, 'databases/compute.db')}`);
    const { id } = await cloud.add();
    const found = await run(['--state-dir', folder, 'list'], { FRACTUS_DATABASE_URL: 'mysql://another@h/cloud' });
    expect([found.code, found.written.outs[1]]).toEqual([0, expect.stringContaining(id)]);
    await cloud.db.transaction((tx) => tx.execute('DELETE FROM migrations'));
    await cloud.close();
    const behind = await run(['--state-dir', folder, 'list']);
    expect([behind.code, behind.written.text]).toEqual([1, expect.stringContaining('is behind this release')]);
  });

  it('finds the database of a cluster by its folder', async () => {
    const folder = newFolder();
    const cloud = await TestCompute.open(`sqlite:${join(folder, 'x.db')}`);
    const { id } = await cloud.add();
    await cloud.close();
    const cluster = { databases: { compute: `sqlite:${join(folder, 'x.db')}` }, processes: [] };
    writeFileSync(join(folder, 'cluster.json'), JSON.stringify(cluster));
    expect((await run(['--state-dir', folder, 'list'])).written.outs[1]).toContain(id);
  });
});
