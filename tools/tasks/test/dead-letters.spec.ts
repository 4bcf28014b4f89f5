import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createRabbitTransport, type RabbitTransport } from '@fractus/rpc';
import { run } from './clouds';

const TOOL = resolve(__dirname, '../../services/rabbitmq.mjs');
const missing = spawnSync(process.execPath, [TOOL, 'check'], { encoding: 'utf8' });
const withBroker = missing.status === 0 ? describe : describe.skip;
const quiet = { warn: () => undefined, error: () => undefined };

withBroker(`the command on dead letters${missing.status === 0 ? '' : ` (skipped: ${missing.stderr.trim()})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'fractus-letters-'));
  const transports: RabbitTransport[] = [];
  let urls: Record<'control' | 'agent-7' | 'operator', string>;
  let env: NodeJS.ProcessEnv;
  const tool = async (...args: string[]): Promise<{ url: string }> => {
    const { stdout } = await promisify(execFile)(process.execPath, [TOOL, ...args, '--folder', folder]);
    return JSON.parse(stdout || '{}') as { url: string };
  };
  const user = async (name: string): Promise<string> => (await tool('user', name)).url;
  const open = (url: string, trustedUsers: string[] = []): RabbitTransport => {
    const transport = createRabbitTransport({ urls: [url], logger: quiet, trustedUsers });
    transports.push(transport);
    return transport;
  };

  /** A conductor that takes nothing, until told to; who sent what it was handed. */
  let willing = false;
  const senders: (string | undefined)[] = [];
  beforeAll(async () => {
    await tool('start');
    urls = { control: await user('control'), 'agent-7': await user('agent-7'), operator: await user('operator') };
    env = { FRACTUS_RPC_URLS: urls.operator };
    await open(urls.control, ['operator']).consume(
      { topic: 'conductor', queue: 'work', instance: '', castPrefetch: 9, callPrefetch: 1, news: false },
      (d) => {
        senders.push(d.sender);
        if (willing) d.ack();
        else d.dead('no such server\nat somewhere');
      },
    );
  }, 180_000);
  afterAll(async () => {
    await Promise.all(transports.map((t) => t.close()));
    await tool('remove');
  }, 60_000);

  const send = async (id: string, body: string): Promise<void> => {
    const before = senders.length;
    const sender = open(urls['agent-7']);
    await sender.cast({ topic: 'conductor' }, { id, pattern: 'conductor.operationFinished', body });
    while (senders.length === before || !(await letters()).includes(id)) await new Promise((r) => setTimeout(r, 20));
  };
  const letters = async (): Promise<string[]> => {
    const { json } = await run(['--json', 'dead-letters'], env);
    return (json() as { deadLetters: { id: string }[] }).deadLetters.map((l) => l.id);
  };
  const report = JSON.stringify({
    ctx: { requestId: 'req-9', roles: [] },
    data: { operation: { taskId: 't1', serverId: 's1' }, guest: { adminPassword: 'hunter2' } },
  });

  it('has none, and says so by its exit code', async () => {
    const { code, written } = await run(['dead-letters'], env);
    expect([code, written.outs]).toEqual([1, ['no dead letters']]);
    expect((await run(['dead-letters', 'retry', '--all'], env)).code).toBe(1);
  });

  it('lists and shows them with their reason and sender, and without secrets', async () => {
    await send('m1', report);
    await send('m2', 'password=hunter2');
    const list = await run(['dead-letters', 'list'], env);
    expect(list.code).toBe(0);
    expect(list.written.outs[0]).toMatch(/^ID +MESSAGE +FROM +TO +AGE +TRIES +SERVER +REASON$/);
    expect(list.written.outs[1]).toMatch(
      /^m1 +conductor.operationFinished +agent-7 +conductor +\d+ s +1 +s1 +no such server$/,
    );
    const shown = await run(['dead-letters', 'show', 'm1'], env);
    for (const word of ['m1', 'from     agent-7', 'req-9', 't1', 's1', '[redacted]'])
      expect(shown.written.text).toContain(word);
    const all = [list, shown, await run(['dead-letters', 'show', 'm2', '--json'], env)];
    expect(all.map((r) => r.written.text).join()).not.toContain('hunter2');
    expect((await run(['dead-letters', '--topic', 'placement'], env)).code).toBe(1);
    expect((await run(['dead-letters', 'show', 'm3'], env)).code).toBe(1);
  });

  it('sends one again in its first sender’s name, and notes whose trust that takes', async () => {
    willing = true;
    const before = senders.length;
    const { code, written } = await run(['dead-letters', 'retry', 'm1'], env);
    expect([code, written.outs]).toEqual([0, ['m1: sent again (conductor.operationFinished)']]);
    expect(written.errs[0]).toContain('as broker user operator on behalf of agent-7');
    while (senders.length === before) await new Promise((r) => setTimeout(r, 20));
    expect(senders.at(-1)).toBe('agent-7');
    expect(await letters()).toEqual(['m2']);
    willing = false;
  });

  it('forgets them only when that is said twice', async () => {
    await send('m4', report);
    const asked = await run(['dead-letters', 'drop', '--all'], env);
    expect([asked.code, asked.written.errs[0]]).toEqual([1, 'not done: say --yes to forget 2 letters']);
    expect((await run(['dead-letters', 'drop', 'm2', '--yes'], env)).code).toBe(0);
    expect((await run(['dead-letters', 'drop', '--yes'], env)).code).toBe(2);
    const { json, code } = await run(['--json', 'dead-letters', 'drop', '--all', '--yes'], env);
    expect([code, json()]).toEqual([0, { dropped: ['m4'], failed: [] }]);
    expect(await letters()).toEqual([]);
  });

  it('keeps one whose receiver is gone', async () => {
    const agent = open(urls['agent-7']);
    const consumer = await agent.consume(
      { topic: 'compute', queue: 'agent', instance: 'agent-7', castPrefetch: 9, callPrefetch: 1, news: false },
      (d) => d.dead('no'),
    );
    await consumer.addHost('h1');
    await open(urls.control).cast({ topic: 'compute', host: 'h1' }, { id: 'm5', pattern: 'compute.build', body: '{}' });
    while (!(await letters()).includes('m5')) await new Promise((r) => setTimeout(r, 20));
    await consumer.removeHost('h1');
    const { code, written } = await run(['dead-letters', 'retry', 'm5'], env);
    expect([code, written.errs.at(-1)]).toEqual([1, expect.stringContaining('m5: not sent again: ')]);
    expect(await letters()).toEqual(['m5']);
  });
});
