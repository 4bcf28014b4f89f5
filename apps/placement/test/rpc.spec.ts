import { randomUUID } from 'node:crypto';
import { systemContext } from '@fractus/objects';
import { rpcClient } from '@fractus/rpc';
import { type Client, type InventoryRecord, placementContract } from '@fractus/rpc-contracts';
import { eachDatabase } from '@fractus/database/testing';
import { type PlacementService, startPlacementForTest } from './service';

const ctx = systemContext('req-rpc');
const inv = (total: number): InventoryRecord => ({
  total,
  reserved: 0,
  minUnit: 1,
  maxUnit: total,
  stepSize: 1,
  allocationRatio: 1,
});
const group = (
  resources: Record<string, number>,
  required: string[] = [],
): {
  suffix: string;
  resources: Record<string, number>;
  required: string[];
  forbidden: string[];
  anyOf: string[][];
  memberOf: string[][];
  notMemberOf: string[];
} => ({
  suffix: '',
  resources,
  required,
  forbidden: [],
  anyOf: [],
  memberOf: [],
  notMemberOf: [],
});

eachDatabase('placement over RPC', (open) => {
  let placement: PlacementService;
  let client: Client<typeof placementContract>;
  const hosts = [randomUUID(), randomUUID()] as const;

  beforeAll(async () => {
    placement = await startPlacementForTest(open);
    client = rpcClient(placement.transport, placementContract);
  });
  afterAll(() => placement.close());

  const query = (
    resources: Record<string, number>,
    required: string[] = [],
  ): Promise<Awaited<ReturnType<typeof client.getCandidates>>> =>
    client.getCandidates(ctx, {
      groups: [group(resources, required)],
      sameSubtree: [],
      rootRequired: [],
      rootForbidden: [],
      limit: 10,
    });

  it('measures what it is asked', async () => {
    await client.getProviders(ctx, { providerIds: [] });
    const { body } = await placement.call('GET', '/metrics', { token: null });
    expect(body).toContain('fractus_rpc_seconds_count{side="server",method="placement.getProviders",outcome="ok"}');
  });

  it('makes providers once, and updates each of a batch by its own generation', async () => {
    const wanted = hosts.map((providerId, i) => ({ providerId, name: `host${i}`, parentId: null }));
    const first = await client.ensureProviders(ctx, { providers: wanted });
    const again = await client.ensureProviders(ctx, { providers: wanted });
    expect(again).toEqual(first);
    const { results } = await client.updateProviders(ctx, {
      updates: [
        {
          providerId: hosts[0],
          generation: 0,
          inventories: { VCPU: inv(8), CUSTOM_PONY: inv(1) },
          traits: ['COMPUTE_NODE', 'CUSTOM_FAST'],
          aggregates: [randomUUID()],
        },
        { providerId: hosts[1], generation: 7, inventories: { VCPU: inv(2) } },
      ],
    });
    expect(results).toEqual([
      { providerId: hosts[0], generation: 1 },
      expect.objectContaining({ providerId: hosts[1], generation: null, error: 'placement.concurrent_update' }),
    ]);
    const { providers } = await client.getTrees(ctx, { rootIds: [hosts[0]] });
    expect(providers).toMatchObject([
      { name: 'host0', traits: expect.arrayContaining(['CUSTOM_FAST']), usages: { VCPU: 0, CUSTOM_PONY: 0 } },
    ]);
  });

  it('says where a query fails', async () => {
    await client.updateProviders(ctx, {
      updates: [{ providerId: hosts[1], generation: 0, inventories: { VCPU: inv(2) } }],
    });
    expect((await query({ VCPU: 2 })).candidates).toHaveLength(2);
    const none = await query({ VCPU: 6 }, ['CUSTOM_FAST']);
    expect(none.candidates).toHaveLength(1);
    const { stages } = await query({ VCPU: 9 }, ['CUSTOM_FAST']);
    expect(stages).toEqual([
      { group: '', check: 'required', detail: 'CUSTOM_FAST', in: 2, out: 1 },
      { group: '', check: 'resource', detail: 'VCPU:9', in: 1, out: 0, bestFree: 8, bestMaxUnit: 8 },
    ]);
  });

  it('tells candidates in short to who asks for the room of their roots', async () => {
    const question = {
      groups: [group({ VCPU: 2 }), { ...group({ CUSTOM_PONY: 1 }), suffix: '_pony' }],
      sameSubtree: [],
      rootRequired: [],
      rootForbidden: [],
      limit: 10,
    };
    const full = await client.getCandidates(ctx, question);
    const short = await client.getCandidates(ctx, { ...question, roomOf: ['VCPU', 'DISK_GB'] });
    expect(full.outline).toBeUndefined();
    expect(full.candidates.map((c) => c.allocations)).toEqual([
      { [hosts[0]]: { resources: { VCPU: 2, CUSTOM_PONY: 1 } } },
    ]);
    expect(short).toEqual({
      candidates: [],
      summaries: {},
      stages: [],
      outline: {
        providers: [hosts[0]],
        demands: [{ VCPU: 2, CUSTOM_PONY: 1 }],
        candidates: [[0, 0, 0]],
        room: { VCPU: [8], DISK_GB: [null] },
      },
    });
  });

  it('claims in the name of a task and undoes by consumer', async () => {
    const consumerId = randomUUID();
    const owner = { taskId: randomUUID(), fence: 2 };
    const claim = { consumerId, projectId: 'p', userId: 'u', allocations: { [hosts[0]]: { resources: { VCPU: 3 } } } };
    const { consumers } = await client.writeAllocations(ctx, {
      consumers: [{ ...claim, consumerGeneration: null, owner }],
    });
    expect(consumers).toMatchObject([{ consumerId, consumerGeneration: 1, projectId: 'p' }]);
    await expect(
      client.writeAllocations(ctx, { consumers: [{ ...claim, owner: { ...owner, fence: 1 } }] }),
    ).rejects.toMatchObject({ kind: 'conflict', code: 'claim.stale_fence' });
    expect((await client.listConsumers(ctx, { limit: 5 })).consumers).toHaveLength(1);
    expect(await client.deleteAllocations(ctx, { consumerId, owner: { ...owner, fence: 3 } })).toEqual({
      deleted: true,
    });
    expect(await client.deleteAllocations(ctx, { consumerId })).toEqual({ deleted: false });
    await expect(client.writeAllocations(ctx, { consumers: [{ ...claim, owner }] })).rejects.toMatchObject({
      code: 'claim.stale_fence',
    });
    expect(await client.getAllocations(ctx, { consumerId })).toEqual({
      consumerId,
      consumerGeneration: null,
      allocations: {},
    });
    expect(await client.deleteProvider(ctx, { providerId: hosts[1] })).toEqual({ deleted: true });
    expect(await client.deleteProvider(ctx, { providerId: hosts[1] })).toEqual({ deleted: false });
  });
});
