import { migrateDatabase } from '@fractus/database';
import { createTestMysql, onMysql } from '@fractus/database/testing';
import { PLACEMENT_MIGRATIONS } from '../src/store';
import { hasUpstreamPlacement, serveUpstream } from './upstream-placement';
import { run, serve, type Served } from './world';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Through its API: a tree with custom names, a pool, consumers of three kinds. */
async function fill({ call }: Served): Promise<void> {
  const must = async (method: string, path: string, body?: unknown, version?: string): Promise<void> => {
    const { status, body: answer } = await call(method, path, body, version);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  };
  for (const name of ['CUSTOM_B', 'CUSTOM_A']) await must('PUT', `/resource_classes/${name}`);
  for (const name of ['CUSTOM_Z', 'CUSTOM_Y']) await must('PUT', `/traits/${name}`);
  await must('POST', '/resource_providers', { name: 'räck-1', uuid: uuid(1) });
  await must('POST', '/resource_providers', { name: 'gone', uuid: uuid(9) });
  await must('POST', '/resource_providers', { name: 'räck-1_numa0', uuid: uuid(2), parent_provider_uuid: uuid(1) });
  await must('POST', '/resource_providers', { name: 'pool', uuid: uuid(3) });
  await must('DELETE', `/resource_providers/${uuid(9)}`);
  const put = (n: number, part: string, generation: number, body: object) =>
    must('PUT', `/resource_providers/${uuid(n)}/${part}`, { resource_provider_generation: generation, ...body });
  await put(1, 'inventories', 0, {
    inventories: { VCPU: { total: 16, reserved: 2, allocation_ratio: 0.7 }, MEMORY_MB: { total: 2048, max_unit: 512 } },
  });
  await put(2, 'inventories', 0, { inventories: { CUSTOM_A: { total: 5, step_size: 2 }, CUSTOM_B: { total: 1 } } });
  await put(3, 'inventories', 0, { inventories: { DISK_GB: { total: 2147483647, allocation_ratio: 1.3 } } });
  await put(1, 'traits', 1, { traits: ['CUSTOM_Z', 'HW_CPU_X86_VMX'] });
  await put(3, 'traits', 1, { traits: ['MISC_SHARES_VIA_AGGREGATE', 'CUSTOM_Y'] });
  for (const [n, generation] of [
    [1, 2],
    [3, 2],
  ] as const)
    await put(n, 'aggregates', generation, { aggregates: [uuid(70), uuid(71)] });
  const owner = { project_id: 'p', user_id: 'u', consumer_generation: null };
  const claim = (n: number, allocations: object, more: object, version?: string) =>
    must('PUT', `/allocations/${uuid(n)}`, { ...owner, allocations, ...more }, version);
  const all = { [uuid(1)]: { resources: { VCPU: 3, MEMORY_MB: 512 } }, [uuid(2)]: { resources: { CUSTOM_A: 4 } } };
  await claim(101, { ...all, [uuid(3)]: { resources: { DISK_GB: 30 } } }, { consumer_type: 'INSTANCE' });
  await claim(102, { [uuid(1)]: { resources: { VCPU: 2 } } }, { consumer_type: 'MIGRATION', user_id: 'other' });
  await claim(103, { [uuid(1)]: { resources: { VCPU: 1 } } }, {}, '1.28');
}

/** Everything that clients can ask for, in an order of its own. */
async function told({ call }: Served): Promise<object> {
  const paths = [
    ...[1, 2, 3].flatMap((n) =>
      ['', '/inventories', '/usages', '/traits', '/aggregates', '/allocations'].map(
        (part) => `/resource_providers/${uuid(n)}${part}`,
      ),
    ),
    ...[101, 102, 103].map((n) => `/allocations/${uuid(n)}`),
    ...['/resource_providers', '/usages?project_id=p', '/usages?project_id=p&user_id=other'],
    ...['/traits?name=startswith:CUSTOM', '/resource_classes'],
    '/allocation_candidates?resources=VCPU:1,DISK_GB:1&required=CUSTOM_Y',
  ];
  const answers: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await call('GET', path);
    answers[path] = [status, inOrder(body)];
  }
  return answers;
}

/** Lists come in any order from either. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(inOrder);
    return items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, inOrder(v)]),
  );
}

const titled = hasUpstreamPlacement()
  ? "upstream's own Placement, after its copy"
  : "upstream's own Placement, after its copy (skipped: python3-placement is not installed)";

onMysql(titled, () => {
  const maybe = hasUpstreamPlacement() ? it : it.skip;
  maybe('shows the same through both APIs', async () => {
    const [from, to] = [await createTestMysql(), await createTestMysql()];
    await migrateDatabase({ url: to, migrations: PLACEMENT_MIGRATIONS });
    const theirs = await serveUpstream(from);
    let wanted: object;
    try {
      await fill(theirs);
      wanted = await told(theirs);
    } finally {
      await theirs.close();
    }
    const ran = await run([
      'migrate',
      '--from',
      from.replace('mysql:', 'mysql+pymysql:') + '?charset=utf8',
      '--to',
      to,
    ]);
    expect([ran.code, ran.outs.at(-1)]).toEqual([0, 'the target holds what the source holds; a new epoch is set']);
    const ours = await serve(to);
    try {
      expect(await told(ours)).toEqual(wanted);
    } finally {
      await ours.close();
    }
  });

  maybe('takes a pool that is kept through its API', async () => {
    const theirs = await serveUpstream(await createTestMysql());
    const args = ['inventory', 'demo', '--provider-name', 'nfs', '--aggregate', uuid(70), '--with-hosts'];
    const demo = (...more: string[]) => run(['--endpoint', theirs.url, '--token', 'admin', ...args, ...more]);
    try {
      await theirs.call('POST', '/resource_providers', { name: 'host', uuid: uuid(1) });
      await theirs.call('PUT', `/resource_providers/${uuid(1)}/traits`, {
        ...{ resource_provider_generation: 0, traits: ['COMPUTE_NODE'] },
      });
      await theirs.call('PUT', `/resource_providers/${uuid(1)}/inventories`, {
        ...{ resource_provider_generation: 1, inventories: { VCPU: { total: 4 } } },
      });
      const wanted = async (): Promise<number> =>
        (await theirs.call('GET', '/allocation_candidates?resources=VCPU:1,DISK_GB:9')).body.allocation_requests.length;
      expect(await wanted()).toBe(0);
      expect(await demo('--once', '--total-gb', '20')).toMatchObject({ code: 0 });
      expect(await wanted()).toBe(1);
      expect(await demo('--once', '--total-gb', '8')).toMatchObject({ code: 0 });
      expect(await wanted()).toBe(0);
      expect((await demo('--remove')).outs).toEqual([`take host out of aggregate ${uuid(70)}`, 'delete provider nfs']);
    } finally {
      await theirs.close();
    }
  });
});
