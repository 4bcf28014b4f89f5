// The tour with the unmodified `openstack` client, against a cloud of its own, in one process or (--cluster) in many; or,
// with OS_CLOUD or OS_AUTH_URL set and --external, against any cloud. Ends with `client script: N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placementSteps } from './client-placement.mjs';
import { temporaryCloud, temporaryCluster } from './test-cloud.mjs';

const external = process.argv.includes('--external');
const start = process.argv.includes('--cluster') ? temporaryCluster : temporaryCloud;
const cloud = external ? null : await start(['--hosts', '4']);
const scratch = mkdtempSync(join(tmpdir(), 'fractus-client-'));
// the distribution's own Python, whatever else is first on the path
const env = { ...process.env, ...(cloud?.env ?? {}), PATH: `/usr/bin:${process.env.PATH}`, PYTHONWARNINGS: 'ignore' };
const tag = Math.random().toString(36).slice(2, 8);
const name = (what) => `${what}-${tag}`;
let passed = 0;
let failed = 0;

function openstack(args, { json = true } = {}) {
  const out = spawnSync('openstack', [...args, ...(json ? ['-f', 'json'] : [])], {
    env,
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (out.status !== 0)
    throw new Error(`exit ${out.status}: ${(out.stderr || out.stdout).trim().split('\n').slice(-4).join(' | ')}`);
  return json ? JSON.parse(out.stdout) : out.stdout;
}

function step(title, check) {
  const began = Date.now();
  try {
    check();
    passed++;
    console.log(`ok   ${title} (${Date.now() - began} ms)`);
  } catch (e) {
    failed++;
    console.log(`FAIL ${title}: ${e.message}`);
  }
}
function expect(condition, what) {
  if (!condition) throw new Error(what);
}
/** Waits, in client calls, until the server shows the status. */
function until(server, status) {
  const seen = [];
  for (let i = 0; i < 40; i++) {
    const shown = openstack(['server', 'show', server]);
    if (shown.status === status) return shown;
    seen.push(shown.status);
    if (shown.status === 'ERROR') break;
  }
  throw new Error(`never became ${status}: ${[...new Set(seen)].join(', ')}`);
}
const named = (rows, key, value) => rows.some((row) => row[key] === value);

const image = join(scratch, 'image.raw');
writeFileSync(image, Buffer.alloc(1024 * 1024, 7));
const server = name('server');
const bare = name('bare');

step('token issue', () => expect(openstack(['token', 'issue']).project_id, 'no project in the token'));
step('catalog list', () => {
  const types = openstack(['catalog', 'list']).map((s) => s.Type);
  for (const type of ['identity', 'compute', 'placement', 'image', 'network'])
    expect(types.includes(type), `no ${type} in the catalog`);
});
step('image create', () => {
  const made = openstack([
    'image',
    'create',
    '--disk-format',
    'raw',
    '--container-format',
    'bare',
    '--file',
    image,
    name('image'),
  ]);
  expect(made.name === name('image'), 'another name came back');
  const shown = openstack(['image', 'show', name('image')]);
  expect(shown.status === 'active' && shown.size === 1024 * 1024, `status ${shown.status}, size ${shown.size}`);
});
step('flavor list', () => expect(named(openstack(['flavor', 'list']), 'Name', 'm1.tiny'), 'm1.tiny is not there'));
step('flavor create', () => {
  const made = openstack([
    'flavor',
    'create',
    '--ram',
    '256',
    '--vcpus',
    '1',
    '--disk',
    '1',
    '--property',
    'hw:watchdog_action=reset',
    name('flavor'),
  ]);
  expect(made.ram === 256 && made.vcpus === 1, 'other sizes came back');
});
step('network list', () =>
  expect(named(openstack(['network', 'list']), 'Name', 'private'), 'network private is not there'),
);
step('keypair create', () =>
  expect(openstack(['keypair', 'create', name('key')], { json: false }).includes('PRIVATE KEY'), 'no private key'),
);
step('aggregate create', () =>
  expect(
    openstack(['aggregate', 'create', '--zone', name('zone'), name('aggregate')]).name === name('aggregate'),
    'another name',
  ),
);
step('server create --network --wait', () => {
  const made = openstack([
    'server',
    'create',
    '--flavor',
    'm1.tiny',
    '--image',
    name('image'),
    '--network',
    'private',
    '--key-name',
    name('key'),
    '--wait',
    server,
  ]);
  expect(made.status === 'ACTIVE', `status ${made.status}`);
  expect(JSON.stringify(made.addresses).includes('private'), `addresses ${JSON.stringify(made.addresses)}`);
});
step('server create --nic none --wait (2.37)', () => {
  const made = openstack([
    '--os-compute-api-version',
    '2.37',
    'server',
    'create',
    '--flavor',
    name('flavor'),
    '--image',
    name('image'),
    '--nic',
    'none',
    '--wait',
    bare,
  ]);
  expect(made.status === 'ACTIVE', `status ${made.status}`);
});
step('server list', () => {
  const rows = openstack(['server', 'list']);
  expect(named(rows, 'Name', server) && named(rows, 'Name', bare), 'a server is missing');
});
step('server show', () => expect(openstack(['server', 'show', server]).key_name === name('key'), 'no key name'));
step('server stop', () => {
  openstack(['server', 'stop', server], { json: false });
  until(server, 'SHUTOFF');
});
step('server start', () => {
  openstack(['server', 'start', server], { json: false });
  until(server, 'ACTIVE');
});
step('server reboot (soft)', () => openstack(['server', 'reboot', '--wait', server], { json: false }));
step('server reboot --hard', () => openstack(['server', 'reboot', '--hard', '--wait', server], { json: false }));
for (const [verb, status] of [
  ['pause', 'PAUSED'],
  ['unpause', 'ACTIVE'],
  ['suspend', 'SUSPENDED'],
  ['resume', 'ACTIVE'],
])
  step(`server ${verb}`, () => {
    openstack(['server', verb, server], { json: false });
    until(server, status);
  });
step('server lock', () => {
  openstack(['server', 'lock', server], { json: false });
  expect(openstack(['--os-compute-api-version', '2.9', 'server', 'show', server]).locked === true, 'not locked');
});
step('server unlock', () => {
  openstack(['server', 'unlock', server], { json: false });
  expect(openstack(['--os-compute-api-version', '2.9', 'server', 'show', server]).locked === false, 'still locked');
});
step('hypervisor list', () =>
  expect(openstack(['hypervisor', 'list']).length >= (external ? 1 : 4), 'too few hypervisors'),
);
step('hypervisor show', () => {
  const [first] = openstack(['hypervisor', 'list']);
  expect(openstack(['hypervisor', 'show', first['Hypervisor Hostname']]).state === 'up', 'not up');
});
step('compute service list', () => {
  const rows = openstack(['compute', 'service', 'list']);
  expect(
    rows.some((r) => r.Binary === 'nova-compute' && r.State === 'up'),
    'no nova-compute is up',
  );
});
step('availability zone list', () =>
  expect(
    named(openstack(['availability', 'zone', 'list', '--compute']), 'Zone Name', 'nova'),
    'zone nova is not there',
  ),
);
let provider;
step('resource provider list', () => {
  const rows = openstack(['resource', 'provider', 'list']);
  expect(rows.length >= (external ? 1 : 4), 'too few providers');
  provider = rows[0].uuid;
});
step('resource provider inventory list', () => {
  const classes = openstack(['resource', 'provider', 'inventory', 'list', provider]).map((r) => r.resource_class);
  for (const rc of ['VCPU', 'MEMORY_MB', 'DISK_GB']) expect(classes.includes(rc), `no ${rc}`);
});
step('resource provider usage show', () =>
  expect(openstack(['resource', 'provider', 'usage', 'show', provider]).length >= 3, 'too few classes'),
);
placementSteps({ openstack, step, expect, name });
step('server delete --wait', () => {
  openstack(['server', 'delete', '--wait', server, bare], { json: false });
  const left = openstack(['server', 'list']);
  expect(!named(left, 'Name', server) && !named(left, 'Name', bare), 'a server is left');
});
step('nothing is left', () => {
  let used = 0;
  for (const row of openstack(['resource', 'provider', 'list']))
    for (const usage of openstack(['resource', 'provider', 'usage', 'show', row.uuid])) used += usage.usage;
  expect(external || used === 0, `${used} units still allocated`);
  const ports = openstack(['port', 'list', '--long']).filter((p) =>
    String(p['Device Owner'] ?? '').startsWith('compute:'),
  );
  expect(external || ports.length === 0, `${ports.length} ports left`);
});
step('the rest is deleted', () => {
  openstack(['aggregate', 'delete', name('aggregate')], { json: false });
  openstack(['keypair', 'delete', name('key')], { json: false });
  openstack(['flavor', 'delete', name('flavor')], { json: false });
  openstack(['image', 'delete', name('image')], { json: false });
});

if (cloud) {
  const { code } = await cloud.close();
  step('the cloud drains and stops with code 0', () => expect(code === 0, `code ${code}`));
}
rmSync(scratch, { recursive: true, force: true });
console.log(`client script: ${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
