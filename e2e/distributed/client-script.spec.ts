/** The tour with the unmodified `openstack` client, against separate processes. */
import { execFile, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { DistributedCloud } from '@fractus/testing';

const SCRIPT = resolve(__dirname, '../../tools/test/client-script.mjs');
const installed = spawnSync('openstack', ['--version'], { stdio: 'ignore' }).status === 0;
const about = installed ? describe : describe.skip;
if (!installed) console.log('the client script is skipped: apt-get install python3-openstackclient');

about('the openstack client', () => {
  let cloud: DistributedCloud;
  beforeAll(async () => {
    cloud = await DistributedCloud.start({ hosts: 4 });
  }, 180_000);
  afterAll(() => cloud?.close(), 60_000);

  it('does the whole tour', async () => {
    const env = { ...process.env, ...cloud.clientEnvironment };
    const output = await new Promise<string>((done) =>
      execFile(process.execPath, [SCRIPT, '--external'], { env }, (_error, stdout, stderr) => done(stdout + stderr)),
    );
    const [, passed, failed] = /^client script: (\d+) passed, (\d+) failed$/m.exec(output) ?? [];
    expect({ failed, told: output.split('\n').filter((line) => line.startsWith('FAIL')) }).toEqual({
      failed: '0',
      told: [],
    });
    expect(Number(passed)).toBeGreaterThan(25);
  }, 590_000);
});
