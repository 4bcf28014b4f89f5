// Every path in every microversion, as a walk over a small estate: what is asked, in order. A body that needs a provider's
// generation is a function of `generation(uuid)`.

export const uuid = (n, kind = 0) => `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
export const VERSIONS = Array.from({ length: 40 }, (_, minor) => `1.${minor}`);
const NEWEST = VERSIONS.at(-1);

const step = (method, path, version = NEWEST, body = undefined) => ({ method, path, version, body });
const provider = (n) => `/resource_providers/${uuid(n)}`;
const withGeneration =
  (of, body, ahead = 0) =>
  (generation) => ({
    resource_provider_generation: generation(of) + ahead,
    ...body,
  });
const holds = (provider, resources, more = {}) => ({
  allocations: { [provider]: { resources } },
  project_id: 'p1',
  user_id: 'u1',
  ...more,
});

/** A host with two children, a second with two, a shared disk and a lone host; four consumers of several times. */
export function furnish() {
  const parents = [undefined, 0, 0, undefined, undefined, 3, 3, undefined];
  const inventories = [
    {
      VCPU: { total: 16, allocation_ratio: 4 },
      MEMORY_MB: { total: 8192, reserved: 512, step_size: 64, min_unit: 64 },
    },
    { CUSTOM_A: { total: 8 }, SRIOV_NET_VF: { total: 4 } },
    { CUSTOM_A: { total: 4, max_unit: 2 } },
    { VCPU: { total: 8 }, MEMORY_MB: { total: 4096 } },
    { DISK_GB: { total: 1000 } },
    { CUSTOM_A: { total: 8 } },
    { VGPU: { total: 2 } },
    { VCPU: { total: 2 }, MEMORY_MB: { total: 1024 }, DISK_GB: { total: 20 } },
  ];
  const traits = {
    0: ['HW_CPU_X86_VMX', 'CUSTOM_T'],
    1: ['CUSTOM_T'],
    4: ['MISC_SHARES_VIA_AGGREGATE', 'STORAGE_DISK_SSD'],
    5: ['HW_GPU_API_VULKAN'],
  };
  const aggregates = { 0: [10], 3: [10, 11], 4: [10], 7: [11] };
  const put = (n, what, body) => step('PUT', `${provider(n)}/${what}`, NEWEST, withGeneration(uuid(n), body));
  const claim = (n, on, resources, version, more) =>
    step('PUT', `/allocations/${uuid(n)}`, version, holds(uuid(on), resources, more));
  const typed = (consumer_type) => ({ consumer_generation: null, consumer_type });
  return [
    step('PUT', '/resource_classes/CUSTOM_A'),
    step('PUT', '/traits/CUSTOM_T'),
    ...parents.map((parent, n) =>
      step('POST', '/resource_providers', NEWEST, {
        name: `n${n}`,
        uuid: uuid(n),
        ...(parent === undefined ? {} : { parent_provider_uuid: uuid(parent) }),
      }),
    ),
    ...inventories.map((of, n) => put(n, 'inventories', { inventories: of })),
    ...Object.entries(traits).map(([n, of]) => put(n, 'traits', { traits: of })),
    ...Object.entries(aggregates).map(([n, of]) => put(n, 'aggregates', { aggregates: of.map((a) => uuid(a)) })),
    claim(15, 0, { VCPU: 2, MEMORY_MB: 128 }, NEWEST, typed('INSTANCE')),
    claim(16, 3, { VCPU: 1 }, NEWEST, typed('MIGRATION')),
    claim(17, 7, { VCPU: 1 }, '1.12', { user_id: 'u2' }),
    step('PUT', `/allocations/${uuid(18)}`, '1.0', {
      allocations: [{ resource_provider: { uuid: uuid(7) }, resources: { MEMORY_MB: 64 } }],
    }),
  ];
}

const CANDIDATES = [
  'resources=VCPU:1',
  'resources=VCPU:1,MEMORY_MB:64,DISK_GB:5',
  'resources=VCPU:1,CUSTOM_A:1',
  'resources=VCPU:1&required=CUSTOM_T',
  'resources=VCPU:1&required=!CUSTOM_T',
  'resources=VCPU:1&required=in:CUSTOM_T,HW_CPU_X86_VMX',
  'resources=VCPU:1&required=CUSTOM_T&required=HW_CPU_X86_VMX',
  `resources=VCPU:1&member_of=${uuid(10)}`,
  `resources=VCPU:1&member_of=!${uuid(10)}`,
  `resources=VCPU:1&member_of=in:${uuid(10)},${uuid(11)}`,
  `resources=VCPU:1&in_tree=${uuid(0)}`,
  'resources=VCPU:1&resources1=CUSTOM_A:1',
  'resources1=CUSTOM_A:1&resources2=CUSTOM_A:1',
  'resources1=CUSTOM_A:1&resources2=CUSTOM_A:1&group_policy=isolate',
  'resources1=CUSTOM_A:1&resources2=CUSTOM_A:1&group_policy=none',
  'resources_A=CUSTOM_A:1&resources=VCPU:1',
  'resources_A=CUSTOM_A:1&resources_B=SRIOV_NET_VF:1&group_policy=none&same_subtree=_A,_B',
  'resources=VCPU:1&root_required=CUSTOM_T',
  'resources=VCPU:1&root_required=!CUSTOM_T',
  'resources_A=CUSTOM_A:1&required_X=CUSTOM_T&same_subtree=_A,_X',
  'resources=DISK_GB:5&required=STORAGE_DISK_SSD',
  'resources=NOPE:1',
  'resources=VCPU:0',
  'resources=VCPU',
  'resources=VCPU:1&required=NOPE',
  'resources=VCPU:1&foo=1',
  'required=CUSTOM_T',
  'resources=CUSTOM_A:9',
  'resources=VCPU:1&group_policy=x',
  'resources=VCPU:1&limit=0',
  'resources=VCPU:1&in_tree=x',
  'resources=VCPU:1&member_of=x',
  'resources=VCPU:1&required=CUSTOM_T,!CUSTOM_T',
];
const OF_PROVIDERS = [
  '',
  '?name=n1',
  `?uuid=${uuid(3)}`,
  `?in_tree=${uuid(1)}`,
  '?resources=VCPU:4',
  `?member_of=${uuid(10)}`,
  `?member_of=!${uuid(10)}`,
  `?member_of=${uuid(10)}&member_of=${uuid(11)}`,
  '?required=CUSTOM_T',
  '?required=!CUSTOM_T',
  '?required=in:CUSTOM_T,HW_CPU_X86_VMX',
  '?required=CUSTOM_T&required=HW_CPU_X86_VMX',
];
const parts = ['', '/inventories', '/inventories/VCPU', '/inventories/VGPU', '/usages', '/aggregates', '/allocations'];
const READ = [
  '/',
  '/nothing',
  ...OF_PROVIDERS.map((query) => `/resource_providers${query}`),
  ...[...parts, '/traits'].map((part) => provider(0) + part),
  `${provider(7)}/allocations`,
  `${provider(9)}/usages`,
  ...['', '/CUSTOM_A', '/VCPU', '/CUSTOM_X'].map((name) => `/resource_classes${name}`),
  ...['?name=startswith:CUSTOM', '?name=in:CUSTOM_T,HW_CPU_X86_VMX', '?associated=true', '/CUSTOM_T', '/CUSTOM_NO'].map(
    (rest) => `/traits${rest}`,
  ),
  ...[15, 16, 17, 18, 9].map((n) => `/allocations/${uuid(n)}`),
  ...['?project_id=p1', '?project_id=p1&user_id=u1', '?project_id=p1&consumer_type=INSTANCE', ''].map(
    (query) => `/usages${query}`,
  ),
  '/usages?project_id=p1&consumer_type=all',
  '/usages?project_id=p1&consumer_type=unknown',
  '/usages?project_id=p9',
  '/reshaper',
  '/allocations',
  ...CANDIDATES.map((query) => `/allocation_candidates?${query}`),
];

/** Everything that can be read, and a method that no path has. */
export const reads = (version) => [
  ...READ.map((path) => step('GET', path, version)),
  ...READ.filter((path) => !path.includes('?')).map((path) => step('PATCH', path, version)),
];

/** A provider's life, with the forms of allocations of every time, good ones and bad. */
export function writes(version, n) {
  const [mine, child, first, second] = [2, 3, 4, 5].map((kind) => uuid(n, kind));
  const at = `/resource_providers/${mine}`;
  const ask = (method, path, body) => step(method, path, version, body);
  const named = (more) => ask('PUT', at, { name: `y${n}`, ...more });
  const own = (body, ahead) => withGeneration(mine, body, ahead);
  const custom = (letter) => `/resource_classes/CUSTOM_${letter}${n}`;
  const listed = { allocations: [{ resource_provider: { uuid: mine }, resources: { VCPU: 1 } }] };
  const forms = [
    listed,
    { ...listed, project_id: 'p2', user_id: 'u2' },
    holds(mine, { VCPU: 1 }),
    holds(mine, { VCPU: 2 }, { consumer_generation: null }),
    holds(mine, { VCPU: 1 }, { consumer_generation: null, mappings: { '': [mine] } }),
    holds(mine, { VCPU: 1 }, { consumer_generation: null, consumer_type: 'INSTANCE' }),
    holds(mine, { VCPU: 3 }, { consumer_generation: 1, consumer_type: 'OTHER' }),
    holds(mine, { VCPU: 99 }, { consumer_generation: 2 }),
  ];
  const reshape = (inventories, allocations = {}, ahead = 0) =>
    ask('POST', '/reshaper', (generation) => ({
      inventories: { [mine]: { resource_provider_generation: generation(mine) + ahead, inventories } },
      allocations,
    }));
  return [
    ask('POST', '/resource_providers', { name: `x${n}`, uuid: mine }),
    ask('POST', '/resource_providers', { name: `x${n}` }),
    ask('POST', '/resource_providers', { name: `z${n}`, uuid: child, parent_provider_uuid: mine }),
    named({}),
    ...[uuid(0), uuid(3), null, mine].map((parent_provider_uuid) => named({ parent_provider_uuid })),
    ask('POST', `${at}/inventories`, { resource_class: 'VCPU', total: 8 }),
    ask('POST', `${at}/inventories`, { resource_class: 'CUSTOM_NO', total: 8 }),
    ask('PUT', `${at}/inventories/VCPU`, own({ total: 4, reserved: 4 })),
    ask('PUT', `${at}/inventories/VCPU`, own({ total: 4, reserved: 5 })),
    ask('PUT', `${at}/inventories/VCPU`, own({ total: 4 }, 5)),
    ask('PUT', `${at}/inventories/DISK_GB`, own({ total: 4 })),
    ask('PUT', `${at}/inventories`, own({ inventories: { VCPU: { total: 8 }, MEMORY_MB: { total: 64 } } })),
    ask('PUT', `${at}/aggregates`, [uuid(10)]),
    ask('PUT', `${at}/aggregates`, own({ aggregates: [uuid(10)] })),
    ask('PUT', `${at}/traits`, own({ traits: ['CUSTOM_T'] })),
    ask('PUT', `${at}/traits`, own({ traits: ['CUSTOM_NO'] })),
    ask('PUT', `${at}/traits`, own({ traits: [] }, 7)),
    ...[`CUSTOM_V${n}`, 'BAD'].map((name) => ask('PUT', `/traits/${name}`)),
    ...[`CUSTOM_V${n}`, 'CUSTOM_T', 'HW_CPU_X86_VMX'].map((name) => ask('DELETE', `/traits/${name}`)),
    ...[`CUSTOM_P${n}`, `CUSTOM_P${n}`, 'VCPU'].map((name) => ask('POST', '/resource_classes', { name })),
    ask('PUT', custom('P'), { name: `CUSTOM_R${n}` }),
    ...[custom('R'), custom('P'), '/resource_classes/CUSTOM_A', '/resource_classes/VCPU'].map((c) => ask('DELETE', c)),
    ...forms.flatMap((form) => [ask('PUT', `/allocations/${first}`, form), ask('GET', `/allocations/${first}`)]),
    ...forms
      .slice(2)
      .flatMap((form) => [ask('POST', '/allocations', { [second]: form }), ask('GET', `/allocations/${second}`)]),
    ...['/inventories/VCPU', '/inventories', ''].map((part) => ask('DELETE', at + part)),
    reshape({ MEMORY_MB: { total: 64 } }),
    reshape({ VCPU: { total: 16 }, MEMORY_MB: { total: 64 } }, { [first]: forms[5] }),
    reshape({ VCPU: { total: 16 } }, {}, 3),
    ...['/inventories', '/usages', '/allocations'].map((part) => ask('GET', at + part)),
    ...[first, first, second].map((consumer) => ask('DELETE', `/allocations/${consumer}`)),
    ...['/inventories', '/traits', ''].map((part) => ask('DELETE', at + part)),
    ask('DELETE', `/resource_providers/${child}`),
    ask('DELETE', at),
    ask('GET', at),
  ];
}
