// The first flavors, image and networks of a new cloud, made over its public APIs, so that any cloud can be seeded. What
// is there already, by name, is left alone: a run that was cut short can be repeated.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../start/checks.mjs';

const records = () => JSON.parse(readFileSync(join(root, 'apps/cloud/src/first-records.json'), 'utf8'));

/** Seeds the cloud at `authUrl` as an administrator, by its public or `internal` endpoints. Returns the names of what was made. */
export async function seed({ authUrl, username, password, projectName, interface: side = 'public' }) {
  const cloud = await login({ authUrl, username, password, projectName, side });
  const { flavors, image, networks } = records();
  return [
    ...(await seedFlavors(cloud, flavors)),
    ...(await seedImage(cloud, image)),
    ...(await seedNetworks(cloud, networks)),
  ];
}

async function login({ authUrl, username, password, projectName, side }) {
  const domain = { id: 'default' };
  const answer = await send('POST', `${authUrl}/auth/tokens`, {
    body: {
      auth: {
        identity: { methods: ['password'], password: { user: { name: username, password, domain } } },
        scope: { project: { name: projectName, domain } },
      },
    },
  });
  const token = answer.headers.get('x-subject-token');
  const { catalog } = (await answer.json()).token;
  const endpoint = (type) => {
    const found = catalog.find((s) => s.type === type)?.endpoints.find((e) => e.interface === side);
    if (!found) throw new Error(`the catalog has no ${side} endpoint of type ${type}`);
    return found.url.replace(/\/+$/, '');
  };
  return {
    request: (method, type, path, options = {}) => send(method, endpoint(type) + path, { token, ...options }),
  };
}

async function send(method, url, { token, body, bytes, allow = [] } = {}) {
  const answer = await fetch(url, {
    method,
    headers: {
      ...(token ? { 'x-auth-token': token } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(bytes ? { 'content-type': 'application/octet-stream' } : {}),
    },
    body: bytes ?? (body ? JSON.stringify(body) : undefined),
    signal: AbortSignal.timeout(60_000),
  });
  if (!answer.ok && !allow.includes(answer.status))
    throw new Error(`${method} ${url}: ${answer.status} ${(await answer.text()).slice(0, 300)}`);
  return answer;
}

async function seedFlavors(cloud, flavors) {
  const made = [];
  for (const [id, name, ram, vcpus, disk] of flavors) {
    const body = { flavor: { id, name, ram, vcpus, disk } };
    const answer = await cloud.request('POST', 'compute', '/flavors', { body, allow: [409] });
    if (answer.status !== 409) made.push(`flavor ${name}`);
  }
  return made;
}

async function seedImage(cloud, { name, bytes, ...rest }) {
  const { images } = await (await cloud.request('GET', 'image', `/v2/images?name=${name}`)).json();
  const known = images.find((i) => i.status === 'active');
  if (known) return [];
  // one without bytes is left of a run that was cut short
  const queued = images.find((i) => i.status === 'queued');
  const image =
    queued ?? (await (await cloud.request('POST', 'image', '/v2/images', { body: { name, ...rest } })).json());
  await cloud.request('PUT', 'image', `/v2/images/${image.id}/file`, { bytes: Buffer.alloc(bytes) });
  return [`image ${name}`];
}

async function seedNetworks(cloud, networks) {
  const made = [];
  for (const { name, cidr, shared, external } of networks) {
    const found = await (await cloud.request('GET', 'network', `/v2.0/networks?name=${name}`)).json();
    const body = { network: { name, shared: !!shared, 'router:external': !!external } };
    const network =
      found.networks[0] ?? (await (await cloud.request('POST', 'network', '/v2.0/networks', { body })).json()).network;
    const { subnets } = await (await cloud.request('GET', 'network', `/v2.0/subnets?network_id=${network.id}`)).json();
    if (subnets.length > 0) continue;
    const subnet = { name: `${name}-subnet`, network_id: network.id, cidr, ip_version: 4 };
    await cloud.request('POST', 'network', '/v2.0/subnets', { body: { subnet } });
    made.push(`network ${name}`);
  }
  return made;
}
