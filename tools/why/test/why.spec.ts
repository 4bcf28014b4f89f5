import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Output } from '@fractus/operator';
import { Servers, TestCloud } from '@fractus/testing';
import { why } from '../src/program';

describe('why', () => {
  let cloud: TestCloud;
  let folder: string;
  let auth: Record<string, string>;
  beforeAll(async () => {
    cloud = await TestCloud.start({ hosts: 3 });
    await cloud.newUser({ name: 'asker', project: 'admin', role: 'admin' });
    folder = mkdtempSync(join(tmpdir(), 'fractus-why-'));
    const url = `${cloud.urls.identity}/v3`;
    auth = { auth_url: url, username: 'asker', password: 'secret-of-asker', project_name: 'admin' };
  }, 120_000);
  afterAll(async () => {
    await cloud?.close();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  const variables = () => Object.fromEntries(Object.entries(auth).map(([k, v]) => [`OS_${k.toUpperCase()}`, v]));
  const run = async (args: string[], env: NodeJS.ProcessEnv = variables()) => {
    const lines: string[] = [];
    const output: Output = { out: (line) => void lines.push(line), err: (line) => void lines.push(line) };
    return { code: await why(args, env, output), text: lines.join('\n') };
  };

  it('tells in one screen why a server is nowhere: the fault, the stages, each host', async () => {
    const demo = new Servers(cloud.demo);
    const { body } = await cloud.admin.compute.post('/flavors', {
      flavor: { name: 'tall', ram: 64, vcpus: 1, disk: 90_000 },
    });
    const id = await demo.create({ server: { flavorRef: body.flavor.id } });
    await demo.becomes(id, 'ERROR');
    const { code, text } = await run([id]);
    expect(code).toBe(0);
    expect(text).toContain('fault  No valid host was found. There are not enough hosts available. ');
    expect(text).toContain('create: no_valid_host');
    expect(text).toMatch(/3 hosts: 3 lack DISK_GB \(need 90000, best free \d+\)/);
    expect(text).toMatch(/placement +resource DISK_GB:90000 +3 → 0/);
    for (const host of ['host-1', 'host-2', 'host-3'])
      expect(text).toMatch(new RegExp(`${host} gives at most \\d+ DISK_GB at a time, and 90000 are asked for\\.`));
    expect(text.split('\n').length).toBeLessThan(40);
    await demo.delete(id);
    expect((await run([id])).text).toContain('create: no_valid_host');
  });

  it('and why it is where it is, by a cloud of clouds.yaml', async () => {
    const demo = new Servers(cloud.demo);
    const id = await demo.boot();
    const host = (await new Servers(cloud.admin).show(id))['OS-EXT-SRV-ATTR:host'];
    const file = join(folder, 'clouds.yaml');
    writeFileSync(file, JSON.stringify({ clouds: { here: { auth } } }));
    const { code, text } = await run(['--os-cloud', 'here', id], { OS_CLIENT_CONFIG_FILE: file });
    expect([code, text.includes(`create: selected → ${host}`)]).toEqual([0, true]);
    expect(JSON.parse((await run(['--json', id])).text).schedule_info[0].chosen).toBe(host);
    expect((await run(['--os-cloud', 'nowhere', id], { OS_CLIENT_CONFIG_FILE: file })).code).toBe(2);
    await demo.delete(id);
  });

  it('says that there is no such server, and how it is used', async () => {
    const none = await run(['00000000-0000-4000-8000-000000000000']);
    expect([none.code, none.text]).toEqual([1, expect.stringMatching(/could not be found/)]);
    expect((await run([])).code).toBe(2);
    expect((await run(['--limit', '0', 'x'])).code).toBe(2);
  });
});
