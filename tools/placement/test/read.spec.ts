/** What upstream's Compute API tells and ours does not (yet): migrations, in pages. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Api } from '@fractus/operator';
import { readMigrations } from '../src/audit/read';

describe('migrations, as the audit reads them', () => {
  let server: Server;
  let known: { uuid: string; instance_uuid: string; status: string }[] | null = [];
  const asked: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://x');
      const send = (status: number, body: object): void =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (url.pathname === '/v2.1/') return send(200, { version: { version: '2.96' } });
      if (known === null) return send(404, {});
      asked.push(String(request.headers['openstack-api-version']));
      const marker = url.searchParams.get('marker');
      const from = marker === null ? 0 : known.findIndex((m) => m.uuid === marker) + 1;
      // never more than two at once, whatever is asked for
      return send(200, { migrations: known.slice(from, from + 2) });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const api = (): Api => {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new Api({ type: 'compute', version: '2.90', least: '2.59', fixed: { endpoint, token: 't' } });
  };

  it('are in progress until they have ended; a resize that waits for its word has not', async () => {
    const states = ['running', 'finished', 'confirmed', 'error', 'post-migrating'];
    known = states.map((status, i) => ({ uuid: `m${i}`, instance_uuid: `s${i}`, status }));
    const read = await readMigrations(api());
    expect(read?.map((m) => [m.id, m.serverId, m.inProgress])).toEqual([
      ['m0', 's0', true],
      ['m1', 's1', true],
      ['m2', 's2', false],
      ['m3', 's3', false],
      ['m4', 's4', true],
    ]);
    expect(new Set(asked)).toEqual(new Set(['compute 2.90']));
  });

  it('are unknown where there is no such API', async () => {
    known = null;
    expect(await readMigrations(api())).toBeNull();
  });
});
