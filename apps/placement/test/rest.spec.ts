import { randomUUID } from 'node:crypto';
import { eachDatabase } from '@fractus/database/testing';
import { type PlacementService, startPlacementForTest } from './service';

eachDatabase('placement over REST', (open) => {
  let placement: PlacementService;
  beforeAll(async () => {
    placement = await startPlacementForTest(open);
  });
  afterAll(() => placement.close());

  const call = (
    method: string,
    path: string,
    version: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): ReturnType<PlacementService['call']> => placement.call(method, path, { version, body, headers });

  it('tells its versions to anyone', async () => {
    const answer = await placement.call('GET', '/', { token: null });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ versions: [{ min_version: '1.0', max_version: '1.39' }] });
    expect((await placement.call('GET', '/resource_providers', { token: null })).status).toBe(401);
    expect((await placement.call('GET', '/resource_providers', { token: 'joe' })).status).toBe(403);
  });

  it('makes a trait that is removed at the same time, or finds it', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 20; round++) {
      const requests = ['PUT', 'DELETE', 'PUT', 'DELETE'].map((m) => call(m, '/traits/CUSTOM_FLEETING', '1.39'));
      const answers = await Promise.all(requests);
      answers.forEach((answer, i) => seen.add(`${i % 2 === 0 ? 'PUT' : 'DELETE'} ${answer.status}`));
    }
    const expected = ['PUT 201', 'PUT 204', 'DELETE 204', 'DELETE 404'];
    expect([...seen].filter((one) => !expected.includes(one))).toEqual([]);
    await call('DELETE', '/traits/CUSTOM_FLEETING', '1.39');
  });

  it('knows a consumer by its uuid in any spelling, and by one at a time', async () => {
    const [uuid, consumer] = [randomUUID(), randomUUID()];
    await call('POST', '/resource_providers', '1.39', { name: `s-${uuid}`, uuid });
    const inventories = { VCPU: { total: 8 } };
    const path = `/resource_providers/${uuid}/inventories`;
    await call('PUT', path, '1.39', { resource_provider_generation: 0, inventories });
    const claim = {
      allocations: { [uuid]: { resources: { VCPU: 1 } } },
      project_id: 'p',
      user_id: 'u',
      consumer_type: 'INSTANCE',
      consumer_generation: null,
    };
    const upper = consumer.toUpperCase();
    expect((await call('POST', '/allocations', '1.39', { [upper]: claim, [consumer]: claim })).status).toBe(400);
    expect((await call('POST', '/allocations', '1.39', { [upper]: claim })).status).toBe(204);
    for (const spelling of [upper, consumer]) {
      const { body } = await call('GET', `/allocations/${spelling}`, '1.39');
      expect(body).toMatchObject({ allocations: { [uuid]: { resources: { VCPU: 1 } } } });
    }
    expect((await call('DELETE', `/allocations/${upper}`, '1.39')).status).toBe(204);
    expect((await call('GET', `/allocations/${consumer}`, '1.39')).body).toEqual({ allocations: {} });
  });

  it('refuses a trait or a class that is removed at the same time, by its name', async () => {
    const uuid = randomUUID();
    await call('POST', '/resource_providers', '1.39', { name: `n-${uuid}`, uuid });
    const seen = new Set<string>();
    for (let round = 0; round < 10; round++) {
      await call('PUT', '/traits/CUSTOM_GOING', '1.39');
      await call('PUT', '/resource_classes/CUSTOM_GOING', '1.39');
      const { body } = await call('GET', `/resource_providers/${uuid}`, '1.39');
      const { generation } = body as { generation: number };
      const at = { resource_provider_generation: generation };
      const inventories = { CUSTOM_GOING: { total: 1 } };
      const raced = await Promise.all([
        call('PUT', `/resource_providers/${uuid}/traits`, '1.39', { ...at, traits: ['CUSTOM_GOING'] }),
        call('DELETE', '/traits/CUSTOM_GOING', '1.39'),
        call('PUT', `/resource_providers/${uuid}/inventories`, '1.39', { ...at, inventories }),
        call('DELETE', '/resource_classes/CUSTOM_GOING', '1.39'),
      ]);
      for (const answer of raced) seen.add(String(answer.status));
      await call('DELETE', `/resource_providers/${uuid}/traits`, '1.39');
      await call('DELETE', `/resource_providers/${uuid}/inventories`, '1.39');
    }
    expect([...seen].filter((status) => !['200', '204', '400', '409'].includes(status))).toEqual([]);
  });

  it('gives each version its form of a provider', async () => {
    const uuid = randomUUID();
    const old = await call('POST', '/resource_providers', '1.0', { name: `n-${uuid}`, uuid });
    expect(old.status).toBe(201);
    expect(old.body).toBeUndefined();
    const at = async (version: string): Promise<{ keys: string[]; rels: string[]; modified: string | null }> => {
      const { body, headers } = await call('GET', `/resource_providers/${uuid}`, version);
      const view = body as { links: { rel: string }[] };
      return { keys: Object.keys(view), rels: view.links.map((l) => l.rel), modified: headers.get('last-modified') };
    };
    expect((await at('1.0')).rels).toEqual(['self', 'inventories', 'usages']);
    expect((await at('1.1')).rels).toContain('aggregates');
    expect((await at('1.5')).rels).not.toContain('traits');
    expect((await at('1.6')).rels).toContain('traits');
    expect((await at('1.13')).keys).not.toContain('root_provider_uuid');
    expect(await at('1.14')).toMatchObject({
      keys: expect.arrayContaining(['root_provider_uuid', 'parent_provider_uuid']),
      modified: null,
    });
    expect((await at('1.15')).modified).toMatch(/GMT$/);
    const young = await call('POST', '/resource_providers', '1.20', { name: `m-${uuid}` });
    expect([young.status, (young.body as { generation: number }).generation]).toEqual([200, 0]);
  });

  it('names the missing thing, the method, the media type and the version', async () => {
    const uuid = randomUUID();
    const detail = (answer: { body: unknown }): string =>
      (answer.body as { errors: { detail: string }[] }).errors[0]!.detail;
    const missing = await call('GET', `/resource_providers/${uuid}`, '1.39');
    expect([missing.status, detail(missing)]).toEqual([404, `No resource provider with uuid ${uuid} found`]);
    expect(missing.body).toMatchObject({ errors: [{ code: 'placement.undefined_code', title: 'Not Found' }] });
    const method = await call('DELETE', '/resource_providers', '1.39');
    expect([method.status, method.headers.get('allow')]).toEqual([405, 'GET, POST']);
    expect((await call('DELETE', `/resource_providers/${uuid}/inventories`, '1.4')).status).toBe(405);
    expect((await call('GET', '/traits', '1.5')).status).toBe(404);
    expect((await call('GET', '/traits', '1.40')).status).toBe(406);
    expect(
      (await call('POST', '/resource_providers', '1.39', { name: 'x' }, { 'content-type': 'text/plain' })).status,
    ).toBe(415);
    expect((await call('GET', '/resource_providers', '1.39', undefined, { accept: 'text/plain' })).status).toBe(406);
    const schema = await call('POST', '/resource_providers', '1.39', { name: 3 });
    expect([schema.status, detail(schema)]).toEqual([
      400,
      expect.stringContaining("JSON does not validate: 3 is not of type 'string'"),
    ]);
  });

  it('goes from inventory over candidates to allocations and back', async () => {
    const uuid = randomUUID();
    await call('POST', '/resource_providers', '1.39', { name: uuid, uuid });
    const inventories = { VCPU: { total: 4, allocation_ratio: 2 }, MEMORY_MB: { total: 1024 } };
    expect(
      (
        await call('PUT', `/resource_providers/${uuid}/inventories`, '1.39', {
          resource_provider_generation: 0,
          inventories,
        })
      ).status,
    ).toBe(200);
    expect(
      (
        await call('PUT', `/resource_providers/${uuid}/inventories`, '1.39', {
          resource_provider_generation: 0,
          inventories,
        })
      ).body,
    ).toMatchObject({
      errors: [{ status: 409, code: 'placement.concurrent_update' }],
    });
    const query = `/allocation_candidates?resources=VCPU:3,MEMORY_MB:512&in_tree=${uuid}`;
    const found = (await call('GET', query, '1.36')).body as {
      allocation_requests: { allocations: object; mappings: object }[];
      provider_summaries: Record<string, unknown>;
    };
    expect(found.allocation_requests).toEqual([
      { allocations: { [uuid]: { resources: { VCPU: 3, MEMORY_MB: 512 } } }, mappings: { '': [uuid] } },
    ]);
    expect(found.provider_summaries[uuid]).toMatchObject({
      resources: { VCPU: { capacity: 8, used: 0 } },
      root_provider_uuid: uuid,
    });
    const consumer = randomUUID();
    const write = {
      ...found.allocation_requests[0],
      project_id: 'p1',
      user_id: 'u1',
      consumer_generation: null,
      consumer_type: 'INSTANCE',
    };
    expect((await call('PUT', `/allocations/${consumer}`, '1.38', write)).status).toBe(204);
    expect((await call('PUT', `/allocations/${consumer}`, '1.38', write)).body).toMatchObject({
      errors: [{ detail: 'consumer generation conflict - expected 1 but got None' }],
    });
    expect((await call('GET', `/allocations/${consumer}`, '1.38')).body).toMatchObject({
      consumer_generation: 1,
      consumer_type: 'INSTANCE',
      project_id: 'p1',
    });
    expect((await call('GET', '/usages?project_id=p1', '1.9')).body).toEqual({ usages: { VCPU: 3, MEMORY_MB: 512 } });
    expect((await call('GET', '/usages?project_id=p1', '1.38')).body).toEqual({
      usages: { INSTANCE: { VCPU: 3, MEMORY_MB: 512, consumer_count: 1 } },
    });
    expect((await call('DELETE', `/resource_providers/${uuid}`, '1.39')).body).toMatchObject({
      errors: [{ code: 'placement.resource_provider.inuse' }],
    });
    expect((await call('DELETE', `/allocations/${consumer}`, '1.39')).status).toBe(204);
    expect((await call('DELETE', `/resource_providers/${uuid}`, '1.39')).status).toBe(204);
  });

  it('takes a name that no class can have for an unknown class, whatever is under it', async () => {
    const uuid = randomUUID();
    await call('POST', '/resource_providers', '1.39', { name: uuid, uuid });
    for (const under of [null, 1, { total: 1 }]) {
      const inventories = { VCPU: { total: 1 }, 'no class': under };
      const given = { resource_provider_generation: 0, inventories };
      const put = await call('PUT', `/resource_providers/${uuid}/inventories`, '1.39', given);
      const reshape = await call('POST', '/reshaper', '1.39', { inventories: { [uuid]: given }, allocations: {} });
      for (const { status, body } of [put, reshape])
        expect([status, JSON.stringify(body)]).toEqual([
          400,
          expect.stringContaining('No such resource class no class.'),
        ]);
    }
  });

  it('answers hostile queries and bodies with 4xx', async () => {
    const paths = [
      '/allocation_candidates?resources=VCPU:99999999999999999999',
      '/allocation_candidates?resources=__proto__:1',
      '/allocation_candidates?resources=VCPU:1&limit=9999999999999999999999x',
      '/allocation_candidates?__proto__=1',
      '/resource_providers?member_of=in:',
      '/resource_providers/%00',
      `/resource_providers/${'a'.repeat(900)}`,
      '/traits/%F0%9F%92%A9',
      '/usages?project_id=%FF',
    ];
    for (const path of paths) expect([path, (await call('GET', path, '1.39')).status < 500]).toEqual([path, true]);
    const bodies = [
      'null',
      '[]',
      '"x"',
      '{"__proto__":{"name":"x"}}',
      '{"name":null}',
      `{"name":"${'\\u0000'}"}`,
      '{"name":"\\ud800"}',
      '{',
      '',
    ];
    for (const raw of bodies) {
      const answer = await placement.call('POST', '/resource_providers', { version: '1.39', raw });
      expect([raw, answer.status < 500]).toEqual([raw, true]);
    }
  });
});
