// The few calls that the check makes of a cloud, over its public endpoints.
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 120_000;
/** Services are killed and commands waited for between calls: a connection that was kept may be dead without our knowing. */
const ONE_USE = { connection: 'close' };

/** Logs in; returns the calls. */
export async function login({ authUrl, username, password }) {
  const domain = { id: 'default' };
  const user = { name: username, password, domain };
  const auth = {
    identity: { methods: ['password'], password: { user } },
    scope: { project: { name: 'admin', domain } },
  };
  const answer = await fetch(`${authUrl}/auth/tokens`, {
    method: 'POST',
    headers: { ...ONE_USE, 'content-type': 'application/json' },
    body: JSON.stringify({ auth }),
  });
  if (answer.status !== 201) throw new Error(`login: ${answer.status} ${await answer.text()}`);
  return new Cloud(answer.headers.get('x-subject-token'), (await answer.json()).token.catalog);
}

class Cloud {
  constructor(token, catalog) {
    this.token = token;
    this.catalog = catalog;
  }

  /** The answer's body; throws for every status from 400, 404 apart, which is null. */
  async call(method, type, path, body) {
    const { url } = this.catalog.find((s) => s.type === type).endpoints.find((e) => e.interface === 'public');
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...ONE_USE,
        'x-auth-token': this.token,
        'x-openstack-nova-api-version': '2.37',
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    if (answer.status === 404) return null;
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    return text === '' ? {} : JSON.parse(text);
  }

  async boot(name) {
    const { flavors } = await this.call('GET', 'compute', '/flavors');
    const { images } = await this.call('GET', 'image', '/v2/images?name=cirros-sim');
    const flavorRef = flavors.find((f) => f.name === 'm1.nano').id;
    const body = { server: { name, flavorRef, imageRef: images[0].id, networks: 'none' } };
    return (await this.call('POST', 'compute', '/servers', body)).server.id;
  }

  async server(id) {
    return (await this.call('GET', 'compute', `/servers/${id}`))?.server;
  }

  /** Waits for a status; `gone` for a 404. Throws when it is ERROR or does not come. */
  async until(id, status) {
    for (const until = Date.now() + PATIENCE_MS; ; await sleep(200)) {
      const server = await this.server(id);
      const now = server?.status ?? 'gone';
      if (now === status) return server;
      if (now === 'ERROR' || Date.now() > until)
        throw new Error(`server ${id} is ${now}, not ${status}: ${server?.fault?.message ?? ''}`);
    }
  }

  async act(id, action, status) {
    await this.call('POST', 'compute', `/servers/${id}/action`, action);
    return this.until(id, status);
  }

  /** Names of hosts by state, of services that run guests. */
  async hosts() {
    const { services } = await this.call('GET', 'compute', '/os-services?binary=nova-compute');
    const named = (state) => services.filter((s) => s.state === state).map((s) => s.host);
    return { up: named('up').sort(), down: named('down').sort() };
  }

  /** Waits until exactly these hosts are up. */
  async untilUp(hosts) {
    for (const until = Date.now() + PATIENCE_MS; ; await sleep(500)) {
      const { up } = await this.hosts();
      if (up.join() === hosts.join()) return;
      if (Date.now() > until) throw new Error(`up are ${up.join(' ')}, not ${hosts.join(' ')}`);
    }
  }
}
