import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, serve, type Served } from './world';

describe('placement inventory demo', () => {
  let folder: string;
  let placement: Served;
  let hosts: string[];
  const [pool, shared] = ['nfs-1', randomUUID()];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fractus-pool-'));
    placement = await serve(`sqlite:${join(folder, 'p.db')}`);
    hosts = await Promise.all(['h1', 'h2'].map((name) => newProvider(name, ['COMPUTE_NODE'])));
    await newProvider('other', []);
  });
  afterEach(async () => {
    await placement.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const demo = (...args: string[]) => demoAt(placement.url, ...args);
  const demoAt = (url: string, ...args: string[]) =>
    run(['--endpoint', url, '--token', 'admin', 'inventory', 'demo', '--provider-name', pool, '--aggregate', shared, ...args]); // prettier-ignore
  const once = (...args: string[]) => demo('--once', '--total-gb', '500', ...args);
  const get = async (path: string) => (await placement.call('GET', path)).body;
  async function newProvider(name: string, traits: string[]): Promise<string> {
    const { body } = await placement.call('POST', '/resource_providers', { name });
    await placement.call('PUT', `/resource_providers/${body.uuid}/traits`, {
      resource_provider_generation: 0,
      traits,
    });
    return body.uuid;
  }
  const find = async () => (await get(`/resource_providers?name=${pool}`)).resource_providers[0];
  const candidates = async (): Promise<object[]> =>
    (await get('/allocation_candidates?resources=VCPU:1,DISK_GB:10')).allocation_requests;
  const withVcpus = async (): Promise<void> => {
    for (const uuid of hosts)
      await placement.call('POST', `/resource_providers/${uuid}/inventories`, {
        ...{ resource_provider_generation: 1, resource_class: 'VCPU', total: 8 },
      });
  };

  it('makes a pool that the hosts share, and leaves it alone while it is true', async () => {
    await withVcpus();
    expect(await candidates()).toEqual([]);
    const { code, outs } = await once('--reserved-gb', '20', '--with-hosts');
    expect([code, outs]).toEqual([
      0,
      [
        'create provider nfs-1',
        'set DISK_GB of nfs-1: total 500, reserved 20',
        'add trait MISC_SHARES_VIA_AGGREGATE to nfs-1',
        `put nfs-1 into aggregate ${shared}`,
        `put h1 into aggregate ${shared}`,
        `put h2 into aggregate ${shared}`,
      ],
    ]);
    expect(await candidates()).toHaveLength(2);
    const { uuid } = await find();
    expect((await get(`/resource_providers/${uuid}/inventories`)).inventories).toEqual({
      DISK_GB: { total: 500, reserved: 20, min_unit: 1, max_unit: 500, step_size: 1, allocation_ratio: 1 },
    });
    expect((await once('--reserved-gb', '20', '--with-hosts')).outs).toEqual([]);
  });

  it('follows the size, and keeps what others have set', async () => {
    await once();
    const { uuid, generation } = await find();
    const at = `/resource_providers/${uuid}`;
    await placement.call('PUT', '/traits/CUSTOM_FAST', undefined);
    await placement.call('PUT', `${at}/inventories/DISK_GB`, {
      ...{ resource_provider_generation: generation, total: 500, max_unit: 500, allocation_ratio: 2.5, step_size: 5 },
    });
    await placement.call('PUT', `${at}/traits`, {
      ...{ resource_provider_generation: generation + 1, traits: ['CUSTOM_FAST'] },
    });
    expect((await demo('--once', '--total-gb', '700')).outs).toEqual([
      'set DISK_GB of nfs-1: total 700, reserved 0',
      'add trait MISC_SHARES_VIA_AGGREGATE to nfs-1',
    ]);
    expect((await get(`${at}/inventories`)).inventories.DISK_GB).toEqual({
      ...{ total: 700, reserved: 0, min_unit: 1, max_unit: 700, step_size: 5, allocation_ratio: 2.5 },
    });
    expect((await get(`${at}/traits`)).traits.sort()).toEqual(['CUSTOM_FAST', 'MISC_SHARES_VIA_AGGREGATE']);
    const real = await demo('--once', '--path', folder);
    expect([real.code, real.outs]).toEqual([
      0,
      [expect.stringMatching(/^set DISK_GB of nfs-1: total \d+, reserved 0$/)],
    ]);
  });

  it('tells first, and writes nothing', async () => {
    const { code, outs } = await demo('--dry-run', '--total-gb', '500', '--with-hosts');
    expect([code, outs.length, outs[0]]).toEqual([0, 6, 'would create provider nfs-1']);
    expect(await find()).toBeUndefined();
    expect((await get(`/resource_providers/${hosts[0]}/aggregates`)).aggregates).toEqual([]);
  });

  it('takes everything back, but not under allocations', async () => {
    await once('--with-hosts');
    const { uuid } = await find();
    const consumer = randomUUID();
    const claim = (allocations: object, generation: number | null) =>
      placement.call('PUT', `/allocations/${consumer}`, {
        ...{ allocations, consumer_generation: generation, project_id: 'p', user_id: 'u', consumer_type: 'INSTANCE' },
      });
    await claim({ [uuid]: { resources: { DISK_GB: 5 } } }, null);
    const used = await demo('--remove', '--with-hosts');
    expect([used.code, used.text]).toEqual([1, expect.stringContaining('has allocations: nothing is taken back')]);
    await claim({}, 1);
    expect((await demo('--remove', '--with-hosts', '--dry-run')).outs).toHaveLength(3);
    expect((await demo('--remove', '--with-hosts')).outs).toEqual([
      `take h1 out of aggregate ${shared}`,
      `take h2 out of aggregate ${shared}`,
      'delete provider nfs-1',
    ]);
    expect(await find()).toBeUndefined();
    expect(await demo('--remove', '--with-hosts')).toMatchObject({ code: 0, outs: [] });
  });

  it('takes back its own part alone of a provider that others use too', async () => {
    await once();
    const { uuid, generation } = await find();
    await placement.call('POST', `/resource_providers/${uuid}/inventories`, {
      ...{ resource_provider_generation: generation, resource_class: 'IPV4_ADDRESS', total: 9 },
    });
    expect((await demo('--remove')).code).toBe(0);
    expect(Object.keys((await get(`/resource_providers/${uuid}/inventories`)).inventories)).toEqual(['IPV4_ADDRESS']);
    expect((await get(`/resource_providers/${uuid}/traits`)).traits).toEqual([]);
    expect((await get(`/resource_providers/${uuid}/aggregates`)).aggregates).toEqual([]);
  });

  it('reads again where somebody was faster', async () => {
    // between it and Placement: before its first write of traits, another one writes them
    const meddler = await between(placement, async (method, path) => {
      if (method !== 'PUT' || !path.endsWith('/traits')) return false;
      const { uuid, generation } = await find();
      await placement.call('PUT', `/resource_providers/${uuid}/traits`, {
        ...{ resource_provider_generation: generation, traits: ['HW_CPU_X86_AVX2'] },
      });
      return true;
    });
    const { code, outs } = await demoAt(meddler.url, '--once', '--total-gb', '9');
    meddler.server.close();
    expect(code).toBe(0);
    expect(outs.filter((l) => l.startsWith('add trait'))).toHaveLength(2);
    const { uuid } = await find();
    expect((await get(`/resource_providers/${uuid}/traits`)).traits.sort()).toEqual([
      'HW_CPU_X86_AVX2',
      'MISC_SHARES_VIA_AGGREGATE',
    ]);
  });

  it.each([
    [['--once'], 'say how large the pool is'],
    [['--once', '--total-gb', '5', '--path', '/'], 'say how large the pool is'],
    [['--once', '--total-gb', '5', '--reserved-gb', '6'], '--reserved-gb 6 is more than the pool has (5)'],
    [['--once', '--path', '/nowhere'], '--path /nowhere cannot be asked for its size'],
    [['--total-gb', 'x'], 'a whole number from 1'],
    [['--aggregate', 'x'], 'a uuid'],
  ])('is asked wrongly: %j', async (args, words) => {
    const { code, text } = await demo(...args);
    expect(text).toContain(words);
    expect(code).toBe(2);
  });

  it('goes on until it is stopped', async () => {
    const stop = new AbortController();
    const first = run(
      ['--endpoint', placement.url, '--token', 'admin', 'inventory', 'demo', '--provider-name', pool, '--aggregate', shared, '--total-gb', '3', '--interval', '86400'], // prettier-ignore
      {},
      { signal: stop.signal },
    );
    while ((await find()) === undefined) await new Promise(setImmediate);
    stop.abort();
    expect((await first).code).toBe(0);
  });
});

/** Passes everything on; `meddle` is asked before each request until it says that it has done its part. */
async function between(
  to: Served,
  meddle: (method: string, path: string) => Promise<boolean>,
): Promise<{ url: string; server: Server }> {
  let done = false;
  const server = createServer((request, response) => {
    const pass = async (): Promise<void> => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = '', url = '' } = request;
      done ||= await meddle(method, url);
      const headers = { ...request.headers } as Record<string, string>;
      for (const name of ['host', 'connection', 'content-length', 'transfer-encoding']) delete headers[name];
      const body = Buffer.concat(chunks);
      const answer = await fetch(to.url + url, { method, headers, ...(body.length > 0 ? { body } : {}) });
      const type = answer.headers.get('content-type');
      response.writeHead(answer.status, type ? { 'content-type': type } : {});
      response.end(Buffer.from(await answer.arrayBuffer()));
    };
    pass().catch((e: Error) => response.destroy(e));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
