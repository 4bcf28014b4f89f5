import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemContext } from '@fractus/objects';
import { rpcClient } from '@fractus/rpc';
import { type CandidateExplanation, type CandidateQuery, placementContract } from '@fractus/rpc-contracts';
import { type Answer, type PlacementService, startPlacementForTest } from './service';

interface Explained {
  candidates: { count: number; more: boolean };
  stages: Record<string, unknown>[];
  roots: { failed: number; first_failures: Record<string, unknown>[] };
  would_fit_if: Record<string, unknown>[];
  truncated: boolean;
}

const page = readFileSync(resolve(__dirname, '../../../docs/placement/explain.md'), 'utf8');

describe('GET /allocation_candidates/explain', () => {
  let placement: PlacementService;
  // as in the page's example
  const small = '6f2c1c3e-95d5-4b0c-9a3f-0d2f3f0b60a1';
  const large = 'b1c7a7de-2c5b-4a55-8a9e-5a9d3f7c20b2';

  beforeAll(async () => {
    placement = await startPlacementForTest();
    for (const [uuid, disk] of [
      [small, 60],
      [large, 200],
    ] as const) {
      await placement.call('POST', '/resource_providers', { version: '1.39', body: { name: `host-${disk}`, uuid } });
      await placement.call('PUT', `/resource_providers/${uuid}/inventories`, {
        version: '1.39',
        body: {
          resource_provider_generation: 0,
          inventories: { VCPU: { total: 8 }, DISK_GB: { total: disk, max_unit: 100 } },
        },
      });
    }
    await placement.call('PUT', '/traits/CUSTOM_FAST', { version: '1.39' });
    await placement.call('PUT', `/resource_providers/${small}/traits`, {
      version: '1.39',
      body: { resource_provider_generation: 1, traits: ['CUSTOM_FAST'] },
    });
  });
  afterAll(() => placement.close());

  const get = (query: string, version = '1.39', headers: Record<string, string> = {}): Promise<Answer> =>
    placement.call('GET', `/allocation_candidates${query}`, { version, headers });
  const explained = async (query: string, version?: string): Promise<Explained> => {
    const answer = await get(`/explain?${query}`, version);
    expect(answer.status).toBe(200);
    return answer.body as Explained;
  };

  it('says for an empty answer where it became empty, and what would fill it, as its page shows', async () => {
    const query = 'resources=VCPU:2,DISK_GB:80&required=CUSTOM_FAST';
    expect(page).toContain(`GET /allocation_candidates/explain?${query}\n`);
    const example = /```json\n(.*?)```/s.exec(page)?.[1] ?? '';
    expect(await explained(query)).toEqual(JSON.parse(example));
    expect(await explained(`${query}&limit=5`)).toEqual(JSON.parse(example));
    const requests = async (q: string): Promise<number> =>
      ((await get(`?${q}`)).body as { allocation_requests: unknown[] }).allocation_requests.length;
    expect(await requests(query)).toBe(0);
    expect(await requests(query.replace('DISK_GB:80', 'DISK_GB:60'))).toBe(1);
    expect(await requests('resources=VCPU:2,DISK_GB:80')).toBe(1);
  });

  it('counts the candidates where there are some, whatever the limit', async () => {
    expect(await explained('resources=VCPU:1&limit=1')).toMatchObject({
      candidates: { count: 2, more: false },
      roots: { failed: 0, first_failures: [] },
      would_fit_if: [],
    });
  });

  it('takes and refuses what the list takes and refuses, in the same version and words', async () => {
    const queries = [
      'resources=VCPU:1',
      'resources=VCPU',
      'resources=CUSTOM_NOBODY:1',
      'resources=VCPU:1&required=CUSTOM_NOBODY',
      'resources=VCPU:1&required=!CUSTOM_FAST',
      'resources=VCPU:1&required=CUSTOM_FAST,!CUSTOM_FAST',
      'resources=VCPU:1&limit=0',
      'resources=VCPU:1&root_required=CUSTOM_FAST',
      'resources=VCPU:1&surprise=1',
      'resources1=VCPU:1&resources2=VCPU:1',
      'resources_X=VCPU:1&required_Y=CUSTOM_FAST',
      'resources_X=VCPU:1&group_policy=none&same_subtree=_X,_Y',
      'required=CUSTOM_FAST',
      `resources=VCPU:1&in_tree=${small}`,
      'resources=VCPU:1&member_of=x',
      '',
    ];
    const said = ({ status, body }: Answer): unknown =>
      status === 200
        ? status
        : [status, (body as { errors: { detail: string; code?: string }[] }).errors.map((e) => [e.detail, e.code])];
    const statuses = new Set<number>();
    for (const version of ['1.10', '1.16', '1.22', '1.25', '1.33', '1.36', '1.39']) {
      for (const query of queries) {
        const [plain, why] = [await get(`?${query}`, version), await get(`/explain?${query}`, version)];
        expect([version, query, said(why)]).toEqual([version, query, said(plain)]);
        statuses.add(why.status);
      }
    }
    expect([...statuses].sort()).toEqual([200, 400]);
  });

  it('is there from 1.10 on, for administrators and services, and for no other method', async () => {
    expect((await get('/explain?resources=VCPU:1', '1.9')).status).toBe(404);
    const reader = await get('/explain?resources=VCPU:1', '1.39', { 'x-roles': 'reader' });
    expect(reader.status).toBe(403);
    expect(JSON.stringify(reader.body)).toContain('placement:allocation_candidates:explain');
    const service = await get('/explain?resources=VCPU:1', '1.39', { 'x-roles': 'service' });
    expect(service.status).toBe(200);
    expect(service.headers.get('cache-control')).toBe('no-cache');
    const post = await placement.call('POST', '/allocation_candidates/explain', { version: '1.39', body: {} });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET']);
  });

  it('says the same over RPC', async () => {
    const client = rpcClient(placement.transport, placementContract);
    const ctx = systemContext('req-explain');
    const query: CandidateQuery = {
      groups: [
        {
          suffix: '',
          resources: { VCPU: 2, DISK_GB: 80 },
          required: ['CUSTOM_FAST'],
          forbidden: [],
          anyOf: [],
          memberOf: [],
          notMemberOf: [],
        },
      ],
      sameSubtree: [],
      rootRequired: [],
      rootForbidden: [],
    };
    const told = await client.explainCandidates(ctx, query);
    expect(told).toMatchObject<Partial<CandidateExplanation>>({
      candidates: 0,
      more: false,
      asked: { providers: 2, trees: 2, anchors: 2 },
      failedRoots: 2,
      truncated: false,
    });
    expect(told.stages.at(-1)).toEqual({
      group: '',
      check: 'resource',
      detail: 'DISK_GB:80',
      in: { providers: 1, trees: 1, anchors: 1 },
      out: { providers: 0, trees: 0, anchors: 0 },
      reasons: { total: 1 },
      resourceClass: 'DISK_GB',
      need: 80,
      offered: 1,
      bestFree: 60,
      bestMaxUnit: 100,
    });
    expect(told.roots).toContainEqual({
      rootId: small,
      name: 'host-60',
      group: '',
      check: 'resource',
      detail: 'DISK_GB:80',
      shortage: 'total',
      have: 60,
      need: 80,
    });
    expect(told.wouldFitIf[0]).toEqual({
      relax: 'resource',
      group: '',
      detail: 'DISK_GB:80',
      sentence: 'ask for 60 instead of 80 DISK_GB',
      anchors: 1,
      atLeast: false,
      resourceClass: 'DISK_GB',
      from: 80,
      to: 60,
    });
    await expect(client.explainCandidates(ctx, { ...query, rootRequired: ['CUSTOM_NOBODY'] })).rejects.toMatchObject({
      kind: 'invalid',
      code: 'trait.unknown',
    });
    const { stages } = await client.getCandidates(ctx, query);
    expect(stages.map((s) => [s.check, s.in, s.out])).toEqual([
      ['required', 2, 1],
      ['resource', 1, 1],
      ['resource', 1, 0],
    ]);
  });
});
