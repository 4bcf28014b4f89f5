// The check itself, run where published ports can be reached; see tools/compose/check.mjs.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Project, serviceOf } from './compose.mjs';
import { root } from './folders.mjs';
import { login } from './rest.mjs';
import { writeSecrets } from './secrets.mjs';

const HOSTS_PER_AGENT = 2;
const PORTS = { IDENTITY: 5000, COMPUTE: 8774, PLACEMENT: 8778, IMAGE: 9292, NETWORK: 9696 };
const KILLED = ['identity', 'image', 'network', 'placement', 'scheduler', 'conductor', 'compute-api', 'compute-agent'];

let passed = 0;
let failed = 0;
const interruption = { came: false };
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => (interruption.came = true));

const expect = (condition, what) => {
  if (!condition) throw new Error(what);
};

async function step(title, check, { always = false } = {}) {
  await setImmediate(); // a signal during the last step's commands is told only now
  if (interruption.came && !always) return;
  const began = Date.now();
  try {
    const more = await check();
    passed++;
    console.log(`ok   ${title} (${((Date.now() - began) / 1000).toFixed(1)} s)${more ? `: ${more}` : ''}`);
  } catch (e) {
    failed++;
    console.log(`FAIL ${title}: ${e.message}${e.cause ? ` (${e.cause.message})` : ''}`);
  }
}

const isFree = (port) =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => done(true)));
  });

/** The usual ports, or others where these are taken. */
async function ports() {
  for (let base = 0; base < 200; base++) {
    const moved = Object.entries(PORTS).map(([name, port]) => [name, port + base * 100]);
    if ((await Promise.all(moved.map(([, port]) => isFree(port)))).every(Boolean)) return Object.fromEntries(moved);
  }
  throw new Error('no free ports');
}

const folder = mkdtempSync(join(tmpdir(), 'fractus-compose-'));
const chosen = await ports();
const authUrl = `http://127.0.0.1:${chosen.IDENTITY}/v3`;
writeSecrets(folder, { authUrl });
const passwords = JSON.parse(readFileSync(join(folder, 'passwords.json'), 'utf8'));
const admin = { authUrl, username: 'admin', password: passwords['identity/admin'] };
const environment = {
  ...Object.fromEntries(Object.entries(chosen).map(([name, port]) => [`FRACTUS_${name}_PORT`, String(port)])),
  FRACTUS_IMAGE: 'fractus-check',
  FRACTUS_SECRETS_DIR: join(folder, 'secrets'),
  FRACTUS_HOSTS_PER_AGENT: String(HOSTS_PER_AGENT),
};
const project = new Project(`fractus-check-${randomBytes(3).toString('hex')}`, environment, interruption);
const hostsOf = (agents) =>
  Array.from({ length: agents * HOSTS_PER_AGENT }, (_, i) => {
    const agent = Math.floor(i / HOSTS_PER_AGENT) + 1;
    return `host-${agent}-${(i % HOSTS_PER_AGENT) + 1}`;
  });

async function up(agents) {
  project.compose('up', '-d', '--scale', `compute-agent=${agents}`);
  await project.healthy();
}

/** Ends the first process of a container from outside, as the kernel does when memory runs out. */
async function killed(container) {
  process.kill(container.State.Pid, 'SIGKILL');
  for (const until = Date.now() + 60_000; ; await sleep(200)) {
    const [now] = JSON.parse(project.docker('inspect', container.Id));
    if (now.RestartCount > container.RestartCount && now.State.Running) return;
    if (Date.now() > until) throw new Error(`${serviceOf(container)} was not started again`);
  }
}

/** The slots that the agents' containers have taken, in the order of the containers' numbers. */
const slots = () =>
  project.of('compute-agent').map(({ Id }) => {
    const environment = project.docker('exec', Id, 'cat', '/proc/1/environ').split('\0');
    return environment.find((e) => e.startsWith('FRACTUS_COMPUTE_AGENT_AGENT_ID='))?.split('=')[1];
  });

const memory = () => {
  const ids = project.containers().filter((c) => c.State.Running);
  const rows = project.docker('stats', '--no-stream', '--format', '{{.MemUsage}}', ...ids.map((c) => c.Id)).split('\n');
  const unit = { KiB: 1 / 1024, MiB: 1, GiB: 1024 };
  const used = rows.filter(Boolean).map((row) => /^([\d.]+)(\w+)/.exec(row));
  return `${Math.round(used.reduce((sum, [, n, u]) => sum + Number(n) * unit[u], 0))} MiB in ${used.length} containers`;
};

async function starts() {
  await step('the image is built', () => {
    project.compose('build');
    const [{ Size }] = JSON.parse(project.docker('image', 'inspect', 'fractus-check'));
    return `${Math.round(Size / 1e6)} MB`;
  });
  await step('up, until every service is healthy', () => up(2));
  await step('migrations and the first records end well', async () => {
    expect((await project.ended('migrate')) === 0, 'migrate failed');
    expect((await project.ended('seed')) === 0, `seed failed: ${project.logs('seed')}`);
  });
  await step('each agent has a slot and hosts of its own', async () => {
    const cloud = await login(admin);
    await cloud.untilUp(hostsOf(2));
    expect(slots().join() === 'agent-1,agent-2', `slots ${slots()}`);
  });
}

async function keepsToItself() {
  await step('ports are published on loopback alone', () => {
    const published = project
      .containers()
      .flatMap((c) => Object.values(c.NetworkSettings.Ports).flat().filter(Boolean));
    expect(published.length === 5, `${published.length} ports`);
    expect(
      published.every((p) => p.HostIp === '127.0.0.1'),
      `published on ${published.map((p) => p.HostIp)}`,
    );
  });
  await step('no password stands in what Docker shows of the containers, nor in a log', () => {
    const shown = JSON.stringify(project.containers());
    const logs = ['mariadb', 'rabbitmq', 'migrate', 'seed', ...KILLED].map((name) => [name, project.logs(name).join()]);
    for (const [name, secret] of Object.entries(passwords)) {
      expect(!shown.includes(secret), `docker inspect shows ${name}`);
      for (const [service, text] of logs) expect(!text.includes(secret), `the log of ${service} shows ${name}`);
    }
  });
  await step('an agent reaches the broker and not the database', () => {
    const [{ Id }] = project.of('compute-agent');
    const reach = (address) => project.docker('exec', Id, 'timeout', '5', 'bash', '-c', `exec 3<>/dev/tcp/${address}`);
    reach('rabbitmq/5672');
    let reached = true;
    try {
      reach('mariadb/3306');
    } catch {
      reached = false;
    }
    expect(!reached, 'it reaches MariaDB');
  });
}

async function tour() {
  if (spawnSync('openstack', ['--version'], { stdio: 'ignore' }).status !== 0) {
    console.log('skipped: the tour with the real client: apt-get install python3-openstackclient');
    return;
  }
  await step('the tour with the real client', () => {
    const env = { ...process.env, OS_CLIENT_CONFIG_FILE: join(folder, 'clouds.yaml'), OS_CLOUD: 'fractus' };
    const args = [join(root, 'tools/test/client-script.mjs'), '--external'];
    const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    const [line, , bad] = /^client script: (\d+) passed, (\d+) failed$/m.exec(stdout) ?? [];
    const failures = stdout.split('\n').filter((l) => l.startsWith('FAIL'));
    expect(bad === '0', line ? [line, ...failures].join('\n') : `no result:\n${stdout}${stderr}`);
    return line;
  });
}

async function survives() {
  let kept = [];
  await step('servers are booted', async () => {
    const cloud = await login(admin);
    const ids = [];
    for (let i = 1; i <= 4; i++) ids.push(await cloud.boot(`kept-${i}`));
    for (const id of ids) await cloud.until(id, 'ACTIVE');
    kept = ids;
  });
  for (const service of [...KILLED, 'mariadb', 'rabbitmq'])
    await step(`${service} comes back after kill -9`, async () => {
      await killed(project.of(service)[0]);
      await project.healthy();
    });
  await step('the agent that was killed is the one it was, and its guests are there', async () => {
    const cloud = await login(admin);
    await cloud.untilUp(hostsOf(2));
    expect(slots().join() === 'agent-1,agent-2', `slots ${slots()}`);
    for (const id of kept) await cloud.act(id, { reboot: { type: 'HARD' } }, 'ACTIVE');
  });
  await step('a restart of the broker during boots loses none', async () => {
    const cloud = await login(admin);
    const ids = [];
    for (let i = 1; i <= 3; i++) ids.push(await cloud.boot(`during-${i}`));
    project.compose('restart', 'rabbitmq');
    for (const id of ids) await cloud.until(id, 'ACTIVE');
    for (const id of ids) await cloud.call('DELETE', 'compute', `/servers/${id}`);
    for (const id of ids) await cloud.until(id, 'gone');
  });
  await step('down and up again keeps everything', () => downAndUp(kept));
  await step('operators’ tools find the cloud, and find it well', () => {
    const run = (...args) => project.compose('run', '--rm', '-T', 'tools', ...args);
    expect(/delete-server/.test(run('tasks', 'list', '--state', 'all')), 'no task is listed');
    run('doctor');
    const level = project.compose('exec', '-T', 'scheduler', 'fractus', 'log-level', 'debug');
    expect(level.includes('"debug"'), level);
  });
  await step('--scale adds an agent, and takes it away', async () => {
    await up(3);
    const cloud = await login(admin);
    await cloud.untilUp(hostsOf(3));
    await up(2);
    await cloud.untilUp(hostsOf(2));
    expect(slots().join() === 'agent-1,agent-2', `slots ${slots()}`);
  });
  await step('the broker has refused nobody anything', () => {
    const refusals = project
      .logs('rabbitmq')
      .join('\n')
      .split('\n')
      .filter((line) => /access to .* refused|PLAIN login refused/.test(line));
    expect(refusals.length === 0, refusals.slice(0, 3).join('\n'));
  });
  console.log(`memory: ${memory()}`);
}

async function downAndUp(kept) {
  let cloud = await login(admin);
  const places = await Promise.all(kept.map(async (id) => (await cloud.server(id))['OS-EXT-SRV-ATTR:host']));
  await cloud.call('DELETE', 'compute', '/flavors/84');
  project.compose('down');
  expect(project.containers().length === 0, 'containers are left');
  await up(2);
  expect((await project.ended('seed')) === 0, 'seed failed');
  cloud = await login(admin);
  await cloud.untilUp(hostsOf(2));
  for (const [i, id] of kept.entries()) {
    const server = await cloud.until(id, 'ACTIVE');
    expect(server['OS-EXT-SRV-ATTR:host'] === places[i], `${id} moved from ${places[i]}`);
    await cloud.act(id, { 'os-stop': null }, 'SHUTOFF');
    await cloud.call('DELETE', 'compute', `/servers/${id}`);
    await cloud.until(id, 'gone');
  }
  expect((await cloud.call('GET', 'compute', '/flavors/84')) === null, 'a flavor that was deleted is back');
}

function leavesNothing() {
  project.compose('down', '-v', '--remove-orphans');
  expect(project.containers().length === 0, 'containers are left');
  const label = `label=com.docker.compose.project=${project.name}`;
  expect(project.docker('volume', 'ls', '-q', '--filter', label).trim() === '', 'volumes are left');
  expect(project.docker('network', 'ls', '-q', '--filter', label).trim() === '', 'networks are left');
}

console.log(`project ${project.name}, identity at ${authUrl}`);
try {
  await starts();
  if (failed === 0) {
    await keepsToItself();
    await tour();
    await survives();
  }
} finally {
  if (failed > 0)
    for (const service of ['mariadb', 'rabbitmq', 'migrate', ...KILLED, 'seed'])
      for (const log of project.logs(service)) console.log(`--- ${service}\n${log.split('\n').slice(-15).join('\n')}`);
  await step('down with its volumes leaves nothing', leavesNothing, { always: true });
  rmSync(folder, { recursive: true, force: true });
}
if (interruption.came) {
  failed++;
  console.log('interrupted');
}
console.log(`compose: ${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
