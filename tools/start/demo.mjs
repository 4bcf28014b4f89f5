// npm run demo: no client needed. Boots a server, then asks for one that fits nowhere and shows what the scheduler says.
// Uses the cloud of the state folder if one is running there, else starts one of its own and removes it afterwards.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkNode, ensureInstalled, fail, root } from './checks.mjs';

checkNode();
ensureInstalled();
const { values } = parseArgs({
  options: { 'state-dir': { type: 'string', default: join(root, '.fractus') }, help: { type: 'boolean' } },
});
if (values.help) {
  console.log(
    'npm run demo -- [--state-dir <folder of a running cloud>]   (none running there: starts one of its own)',
  );
  process.exit(0);
}
const { parse } = await import('yaml');
const { temporaryCloud } = await import('../test/test-cloud.mjs');

async function running(stateDir) {
  const file = join(stateDir, 'clouds.yaml');
  if (!existsSync(file)) return null;
  const auth = parse(readFileSync(file, 'utf8')).clouds.fractus.auth;
  const alive = await fetch(auth.auth_url).then(
    (r) => r.ok,
    () => false,
  );
  return alive ? auth : null;
}

let auth = await running(resolve(values['state-dir']));
let own = null;
if (auth) console.log(`Using the cloud at ${auth.auth_url}; what the demo makes is deleted at the end.`);
else {
  console.log('No cloud is running in that folder (--state-dir names another): starting one for the demo …');
  own = await temporaryCloud(['--hosts', '3']);
  auth = await running(own.stateDir);
}

async function login() {
  const body = {
    auth: {
      identity: {
        methods: ['password'],
        password: { user: { name: auth.username, domain: { id: auth.user_domain_id }, password: auth.password } },
      },
      scope: { project: { name: auth.project_name, domain: { id: auth.project_domain_id } } },
    },
  };
  const answer = await fetch(`${auth.auth_url}/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) fail(`could not log in: ${answer.status} ${await answer.text()}`);
  const { token } = await answer.json();
  const url = (type) => token.catalog.find((s) => s.type === type).endpoints.find((e) => e.interface === 'public').url;
  return { token: answer.headers.get('x-subject-token'), url };
}

const session = await login();
async function call(type, method, path, body, version) {
  const answer = await fetch(`${session.url(type)}${path}`, {
    method,
    headers: {
      'x-auth-token': session.token,
      'content-type': 'application/json',
      ...(version ? { 'openstack-api-version': `compute ${version}` } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : null;
}
const compute = (method, path, body, version = '2.96') => call('compute', method, path, body, version);

/** Asks until the server has left BUILD; two minutes are enough on any machine. */
async function settle(id) {
  const until = Date.now() + 120_000;
  for (let wait = 20; Date.now() < until; wait = Math.min(wait * 1.5, 500)) {
    const { server } = await compute('GET', `/servers/${id}`);
    if (server.status !== 'BUILD') return server;
    await new Promise((r) => setTimeout(r, wait));
  }
  throw new Error(`server ${id} is still in BUILD after two minutes`);
}

async function boot(name, flavorId, imageId) {
  const began = performance.now();
  const { server } = await compute('POST', '/servers', {
    server: { name, flavorRef: flavorId, imageRef: imageId, networks: 'auto' },
  });
  const settled = await settle(server.id);
  return { ...settled, ms: Math.round(performance.now() - began) };
}

let exit = 0;
let huge = null;
let quota = null; // what to restore at the end
const made = [];
try {
  const { flavors } = await compute('GET', '/flavors');
  const { images } = await call('image', 'GET', '/v2/images');
  const tiny = flavors.find((f) => f.name === 'm1.tiny');
  console.log(`\n1. POST /servers: m1.tiny from image ${images[0].name} …`);
  const server = await boot('demo', tiny.id, images[0].id);
  made.push(server.id);
  console.log(
    `   ${server.status} on ${server['OS-EXT-SRV-ATTR:host']} after ${server.ms} ms, at ${Object.values(
      server.addresses,
    )
      .flat()
      .map((a) => a.addr)
      .join(', ')}`,
  );

  console.log('\n2. POST /servers: a flavor with 4000 GiB of memory …');
  huge = (
    await compute('POST', '/flavors', {
      flavor: { name: `demo-huge-${Date.now()}`, ram: 4_096_000, vcpus: 2, disk: 10 },
    })
  ).flavor;
  // room in the quota, so that it is the scheduler who refuses and not the quota
  const project = server.tenant_id;
  quota = { project, ram: (await compute('GET', `/os-quota-sets/${project}`)).quota_set.ram };
  await compute('PUT', `/os-quota-sets/${project}`, { quota_set: { ram: -1 } });
  const refused = await boot('demo-huge', huge.id, images[0].id);
  made.push(refused.id);
  console.log(`   ${refused.status}: ${refused.fault?.message}`);
  if (refused.fault?.details && !refused.fault.message.includes(refused.fault.details))
    console.log(`   ${refused.fault.details}`);
} catch (e) {
  console.error(e.message);
  exit = 1;
} finally {
  for (const id of made) await compute('DELETE', `/servers/${id}`).catch((e) => console.error(e.message));
  if (quota)
    await compute('PUT', `/os-quota-sets/${quota.project}`, { quota_set: { ram: quota.ram, force: true } }).catch((e) =>
      console.error(e.message),
    );
  if (huge) await compute('DELETE', `/flavors/${huge.id}`).catch(() => undefined);
  if (own) await own.close();
}
process.exit(exit);
