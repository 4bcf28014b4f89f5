#!/usr/bin/env node
// What happens to a cloud whose two databases are put back from dumps of different moments: done for real on a private
// cluster, and timed. docs/operations.md says what this has shown.
//
//   node tools/doctor/prove-restore.mjs                 five minutes; exits 1 when something does not end as it should
//   node tools/doctor/prove-restore.mjs --raw           without `doctor after-restore`, to see what that is good for
//   node tools/doctor/prove-restore.mjs --folder D      keeps the cluster's folder, stopped
//
// Order: a Placement dump, servers, a compute dump, changes, a second Placement dump, changes, kill -9 of everything.
// Then compute is put back with the later Placement dump, and, from the same start, with the earlier one.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Cluster } from '../cluster/lib/cluster.mjs';
import { checkNode, ensureInstalled } from '../start/checks.mjs';

checkNode();
ensureInstalled();
const Sqlite = createRequire(import.meta.url)('better-sqlite3');
const { values } = parseArgs({
  options: { folder: { type: 'string' }, raw: { type: 'boolean' }, 'port-base': { type: 'string', default: '23000' } },
});
const folder = resolve(values.folder ?? mkdtempSync(join(tmpdir(), 'fractus-restore-')));
mkdirSync(folder, { recursive: true });
const cluster = new Cluster(join(folder, 'cluster'));
const AGENTS = 2;
const OPTIONS = {
  ...{ portBase: Number(values['port-base']), apis: 1, conductors: 2, schedulers: 1, placements: 2, agents: AGENTS },
  ...{ hosts: 4, simProfile: 'instant', flush: 1, logLevel: 'info', env: {} },
};
const began = Date.now();
const say = (line) => console.log(`${String(Math.round((Date.now() - began) / 1000)).padStart(4)} s  ${line}`);

// ---- the databases

function sql(program, args, options = {}) {
  const { socket, password } = JSON.parse(readFileSync(cluster.file('services/mariadb/mariadb.json'), 'utf8'));
  const done = spawnSync(program, [`--socket=${socket}`, '--user=root', ...args], {
    env: { ...process.env, MYSQL_PWD: password },
    maxBuffer: 1 << 30,
    ...options,
  });
  if (done.status !== 0) throw new Error(`${program}: ${done.stderr}`);
  return done.stdout;
}
const dump = (name) => sql('mariadb-dump', ['--single-transaction', `fractus_${name}`]);
const restore = (name, text) => sql('mariadb', [`fractus_${name}`], { input: text });

// ---- the cloud, as its clients and its hypervisors see it

let token;
let catalog;
async function login() {
  const { adminPassword } = cluster.state.secrets;
  const domain = { id: 'default' };
  const user = { name: 'admin', domain, password: adminPassword };
  const auth = {
    identity: { methods: ['password'], password: { user } },
    scope: { project: { name: 'admin', domain } },
  };
  const answer = await fetch(`${cluster.authUrl}/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth }),
  });
  token = answer.headers.get('x-subject-token');
  ({ catalog } = (await answer.json()).token);
}
async function api(type, method, path, body) {
  const base = catalog.find((s) => s.type === type).endpoints.find((e) => e.interface === 'public').url;
  const version = type === 'placement' ? 'placement 1.39' : 'compute 2.95';
  const answer = await fetch(base + path, {
    method,
    headers: { 'x-auth-token': token, 'content-type': 'application/json', 'openstack-api-version': version },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (answer.status === 404 && method === 'GET') return null;
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`);
  return text ? JSON.parse(text) : null;
}

let image;
let flavor;
let network;
async function boot(name, metadata = {}) {
  const server = { name, imageRef: image, flavorRef: flavor, networks: [{ uuid: network }], metadata };
  return (await api('compute', 'POST', '/servers', { server })).server.id;
}
const act = (id, action) => api('compute', 'POST', `/servers/${id}/action`, { [action]: null });
const remove = (id) => api('compute', 'DELETE', `/servers/${id}`);

/** Hosts on which the hypervisors have a guest of the server, with its power state. */
function guestsOf(id) {
  return Array.from({ length: AGENTS }, (_, i) => i + 1).flatMap((agent) => {
    const db = new Sqlite(cluster.file('agents', String(agent), 'simulated', 'hypervisors.db'), { readonly: true });
    const rows = db.prepare('SELECT host, power_state FROM guests WHERE server_id = ?').all(id);
    db.close();
    return rows;
  });
}

/** `state, guests, allocations, ports`: `ACTIVE g1 a1 p1`. */
async function look(id) {
  const server = (await api('compute', 'GET', `/servers/${id}`))?.server;
  const { allocations } = await api('placement', 'GET', `/allocations/${id}`);
  const { ports } = await api('network', 'GET', `/v2.0/ports?device_id=${id}`);
  const state = server ? `${server.status}${server['OS-EXT-STS:task_state'] ? '…' : ''}` : '404';
  const guests = guestsOf(id);
  const power = guests[0]?.power_state === 1 ? 'on' : 'off';
  return `${state} guests ${guests.length}${guests.length ? ` ${power}` : ''} allocations ${Object.keys(allocations).length} ports ${ports.length}`;
}
async function quotaUsed() {
  return (await api('compute', 'GET', '/limits')).limits.absolute.totalInstancesUsed;
}

/** Looks until it is so, at most `seconds`; what was seen last, and after how long. */
async function until(expected, see, seconds) {
  const from = Date.now();
  let seen;
  for (; Date.now() - from < seconds * 1000; await sleep(500)) {
    seen = await see().catch((e) => `(${e.message})`);
    if (expected instanceof RegExp ? expected.test(seen) : seen === expected) break;
  }
  return {
    seen,
    seconds: Math.round((Date.now() - from) / 1000),
    ok: expected instanceof RegExp ? expected.test(seen) : seen === expected,
  };
}
const settle = async (id, expected) => {
  const { ok, seen } = await until(expected, () => look(id), 60);
  if (!ok) throw new Error(`${id}: ${seen}, not ${expected}`);
  return id;
};

// ---- the story

const ACTIVE = 'ACTIVE guests 1 on allocations 1 ports 1';
const GONE = '404 guests 0 allocations 0 ports 0';

async function killAll() {
  for (const name of cluster.names()) await cluster.kill(name);
}
function tool(name, ...args) {
  const done = spawnSync(
    process.execPath,
    [resolve(import.meta.dirname, '..', name, `${name}.mjs`), '--state-dir', cluster.folder, ...args],
    { encoding: 'utf8' },
  );
  return { code: done.status, text: `${done.stdout}${done.stderr}`.trim() };
}

/** Puts the databases and the hypervisors (which have no backup: they are as they were at the end) back, and starts. */
async function startFrom({ compute, placement }, snapshot) {
  await killAll();
  rmSync(cluster.file('agents'), { recursive: true, force: true });
  spawnSync('cp', ['-a', snapshot, cluster.file('agents')]);
  await cluster.start('mariadb');
  await cluster.start('rabbitmq');
  restore('compute', compute);
  restore('placement', placement);
  if (!values.raw) {
    const { code, text } = tool('doctor', 'after-restore', 'compute', 'placement', '--force');
    say(`doctor after-restore (${code}): ${text.replace(/\n/g, '; ')}`);
  }
  await cluster.launch();
  await login();
}

const failures = [];
/** One line of the result: what it is, what is expected, what was seen after how long. */
async function expect(what, expected, see, seconds = 240) {
  const result = await until(expected, see, seconds);
  say(
    `${result.ok ? 'ok  ' : 'FAIL'} ${what}: ${result.seen}${result.ok ? ` after ${result.seconds} s` : `, not ${expected}, within ${seconds} s`}`,
  );
  if (!result.ok) failures.push(what);
}

async function prepare() {
  await cluster.up(OPTIONS, say);
  await login();
  image = (await api('image', 'GET', '/v2/images')).images[0].id;
  flavor = (await api('compute', 'GET', '/flavors')).flavors.find((f) => f.name === 'm1.nano').id;
  network = (await api('network', 'GET', '/v2.0/networks?name=private')).networks[0].id;
  const s = {};
  s.kept = await settle(await boot('kept'), ACTIVE);
  const earlyPlacement = dump('placement');
  say('dumped Placement for the first time');
  for (const name of ['madeAfterFirst', 'deletedBetween', 'deletedLate', 'stopped', 'busy'])
    s[name] = await settle(await boot(name), ACTIVE);
  s.building = await boot('building', { 'sim:delay_spawn': '15' });
  s.deleting = await settle(await boot('deleting', { 'sim:delay_destroy': '15' }), ACTIVE);
  await remove(s.deleting);
  await until(/^BUILD/, () => look(s.building), 20);
  await sleep(3000);
  const compute = dump('compute');
  say('dumped compute, with a build and a delete under way');
  s.bornBetween = await settle(await boot('bornBetween'), ACTIVE);
  await remove(s.deletedBetween);
  await settle(s.deletedBetween, GONE);
  const latePlacement = dump('placement');
  say('dumped Placement again');
  s.bornLate = await settle(await boot('bornLate'), ACTIVE);
  await remove(s.deletedLate);
  await settle(s.deletedLate, GONE);
  await act(s.stopped, 'os-stop');
  await settle(s.stopped, 'SHUTOFF guests 1 off allocations 1 ports 1');
  for (const action of ['os-stop', 'os-start', 'os-stop', 'os-start']) {
    await act(s.busy, action);
    await settle(s.busy, new RegExp(action === 'os-stop' ? '^SHUTOFF guests' : '^ACTIVE guests'));
  }
  await settle(s.building, ACTIVE);
  await settle(s.deleting, GONE);
  return { s, compute, earlyPlacement, latePlacement };
}

async function afterwards(s, { late }) {
  say('--- by itself');
  await expect('server that was there all along', ACTIVE, () => look(s.kept), 20);
  const built = late ? ACTIVE : ACTIVE.replace('allocations 1', 'allocations 0');
  await expect('build that was under way at the dump', built, () => look(s.building));
  await expect('delete that was under way at the dump', GONE, () => look(s.deleting));
  await expect('born between the dumps: its allocation goes', /^404 guests 1 on allocations 0/, () =>
    look(s.bornBetween),
  );
  await expect(
    'born after both dumps: its guest stays',
    '404 guests 1 on allocations 0 ports 1',
    () => look(s.bornLate),
    10,
  );
  await expect('quota counts the rows', '7', async () => String(await quotaUsed()), 120);
  await expect('deleted after both dumps: is back as a row', /^ACTIVE guests 0/, () => look(s.deletedLate), 10);
  await expect(
    'stopped since: shown as at the dump',
    /^ACTIVE guests 1 off|^SHUTOFF guests 1 off/,
    () => look(s.stopped),
    10,
  );
  const found = tool('doctor', '--no-reconcile');
  say(`doctor (${found.code}):\n${found.text}`);
  say('--- with help');
  const healed = tool('doctor', 'allocations', '--heal');
  say(`doctor allocations --heal (${healed.code}):\n${healed.text}`);
  if (!late)
    await expect('made after the first Placement dump: allocated again', ACTIVE, () => look(s.madeAfterFirst), 5);
  for (const name of ['deletedBetween', 'deletedLate']) {
    await remove(s[name]);
    await expect(`${name}: deleted again`, GONE, () => look(s[name]), 120);
  }
  await act(s.stopped, 'os-stop');
  await expect(
    'stopped since: stopped again',
    'SHUTOFF guests 1 off allocations 1 ports 1',
    () => look(s.stopped),
    120,
  );
  for (const name of ['bornBetween', 'bornLate']) {
    tool('doctor', 'destroy-guest', s[name], '--host', guestsOf(s[name])[0].host, '--yes');
    const { ports } = await api('network', 'GET', `/v2.0/ports?device_id=${s[name]}`);
    for (const { id } of ports) await api('network', 'DELETE', `/v2.0/ports/${id}`);
    await expect(`${name}: destroyed by hand`, GONE, () => look(s[name]), 60);
  }
  await act(s.busy, 'os-stop');
  await expect(
    'a server of many operations since: stopped',
    'SHUTOFF guests 1 off allocations 1 ports 1',
    () => look(s.busy),
    120,
  );
  await remove(s.kept);
  await expect('an old server: deleted', GONE, () => look(s.kept), 120);
  const fresh = await boot('fresh');
  await expect('a new server: boots', ACTIVE, () => look(fresh), 60);
  await expect('the doctor finds nothing', /All well/, async () => tool('doctor').text, 60);
}

try {
  const { s, compute, earlyPlacement, latePlacement } = await prepare();
  await killAll();
  const snapshot = join(folder, 'agents');
  rmSync(snapshot, { recursive: true, force: true });
  spawnSync('cp', ['-a', cluster.file('agents'), snapshot]);
  await cluster.start('mariadb');
  const ports = dump('network'); // not put back from a backup: each turn begins with those of the end
  for (const late of [true, false]) {
    say(`=== compute put back with the Placement dump of ${late ? 'later' : 'earlier'}`);
    await startFrom({ compute, placement: late ? latePlacement : earlyPlacement }, snapshot);
    await afterwards(s, { late });
    await killAll();
    await cluster.start('mariadb');
    restore('network', ports);
  }
} finally {
  await cluster.down();
  if (!values.folder) rmSync(folder, { recursive: true, force: true });
}
writeFileSync(
  1,
  failures.length === 0 ? '\nAll as it should be.\n' : `\nNot as it should be: ${failures.join('; ')}\n`,
);
process.exit(failures.length === 0 ? 0 : 1);
