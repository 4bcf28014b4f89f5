// The whole program against a small server that answers as a cloud does: what it asks, in what order, and what it prints.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { resolve } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';

const BENCH = resolve(import.meta.dirname, '../bench.mjs');

/** Servers are in BUILD when first looked at, then ACTIVE (or ERROR); a delete is done at once. */
class SmallCloud {
  servers = new Map();
  asked = [];
  failing = false;
  server = http.createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = parts.length ? JSON.parse(Buffer.concat(parts)) : undefined;
    const url = new URL(request.url, 'http://x');
    this.asked.push(`${request.method} ${url.pathname}`);
    const [status, answer, headers] = this.answer(request.method, url, body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(answer === undefined ? undefined : JSON.stringify(answer));
  });

  async listen() {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }

  answer(method, url, body) {
    const path = url.pathname;
    if (path === '/v3/auth/tokens') return [201, { token: this.token() }, { 'x-subject-token': 't' }];
    if (path === '/image/v2/images') return [200, { images: [{ id: 'i1', name: 'cirros' }] }];
    if (path === '/compute/flavors') return [200, { flavors: [{ id: 'f1', name: 'm1.tiny' }] }];
    if (path === '/compute/servers' && method === 'POST') return this.create(body.server);
    if (path === '/compute/servers') return [200, { servers: this.list(url.searchParams) }];
    const id = path.split('/').pop();
    if (method === 'DELETE') return [204, void this.servers.delete(id)];
    return [200, { server: { id, status: this.look(this.servers.get(id)) } }];
  }

  token() {
    const endpoint = (type) => ({
      type,
      endpoints: [{ interface: 'public', region: 'R', url: `${this.url}/${type}/` }],
    });
    return { user: { id: 'u' }, project: { id: 'p' }, catalog: ['compute', 'image', 'placement'].map(endpoint) };
  }

  create({ name }) {
    if (this.failing && this.servers.size === 1) return [403, { forbidden: { message: 'quota' } }];
    const id = `s${this.servers.size}`;
    this.servers.set(id, { id, name, looks: 0 });
    return [202, { server: { id } }];
  }

  list(query) {
    const all = [...this.servers.values()];
    const status = query.get('status');
    return status ? all.filter((s) => this.look(s) === status) : all;
  }

  look(server) {
    return server.looks++ === 0 ? 'BUILD' : 'ACTIVE';
  }
}

describe('the bench', () => {
  const cloud = new SmallCloud();
  before(() => cloud.listen());
  after(() => cloud.server.close());
  beforeEach(() => {
    cloud.servers.clear();
    cloud.asked = [];
    cloud.failing = false;
  });

  async function bench(...args) {
    const env = {
      PATH: process.env.PATH,
      OS_AUTH_URL: cloud.url,
      OS_USERNAME: 'u',
      OS_PASSWORD: 'p',
      OS_PROJECT_NAME: 'd',
    };
    const child = spawn(process.execPath, [BENCH, '--json', ...args], { env });
    const out = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (data) => (out[name] += data));
    const [code] = await once(child, 'close');
    return { code, ...out, report: code === 0 ? JSON.parse(out.stdout) : undefined };
  }

  it('boots until all are active', async () => {
    const { report } = await bench('boot', '5', '2', '--pids', `me=${process.pid}`);
    assert.deepEqual(
      [report.bench, report.operations, report.active, report.error, report.unfinished],
      ['boot', 5, 5, 0, 0],
    );
    assert.equal(report.post.n, 5);
    assert.deepEqual(Object.keys(report.cpu_s_by), ['me']);
    assert.ok(report.servers_per_s > 0);
  });

  it('counts what was refused, and goes on', async () => {
    cloud.failing = true;
    const { report } = await bench('boot', '3', '1');
    assert.deepEqual([report.operations, report.active, report.refused], [1, 1, { 403: 2 }]);
  });

  it('boots one by one', async () => {
    const { report } = await bench('latency', '2');
    assert.deepEqual([report.operations, report.error, report.time_to_active.n], [2, 0, 2]);
  });

  it('deletes all and sees them gone', async () => {
    for (const id of ['s0', 's1', 's2']) cloud.servers.set(id, { id, name: id, looks: 0 });
    const { report } = await bench('delete-all');
    assert.deepEqual([report.operations, report.left, report.delete.n], [3, 0, 3]);
    assert.equal(cloud.servers.size, 0);
  });

  it('shows servers in turn, and says when there is none', async () => {
    const none = await bench('show', '5');
    assert.deepEqual([none.code, none.stderr], [2, 'bench: there is no server to show: run boot or fill first\n']);
    cloud.servers.set('s0', { id: 's0', name: 's0', looks: 0 });
    assert.equal((await bench('show', '5', '2')).report.n, 5);
  });

  it('logs in as often as asked', async () => {
    const { report } = await bench('auth', '4', '2');
    assert.equal(report.login.n, 4);
    assert.equal(cloud.asked.filter((line) => line === 'POST /v3/auth/tokens').length, 5);
  });

  it('ends with the cause when the cloud does not answer as it should', async () => {
    const { code, stderr } = await bench('boot', '1', '--flavor', 'huge');
    assert.deepEqual([code, stderr], [2, 'bench: no flavor huge; there are m1.tiny\n']);
  });
});
