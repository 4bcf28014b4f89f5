/** Requests near upstream's schemas against every route of Placement: none may answer 5xx. */
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import {
  attack,
  bytesOf,
  near,
  pathOf,
  placementRoutes,
  queryOf,
  Servers,
  useCloud,
  type PlacementRoute,
  type RawRequest,
} from '@fractus/testing';

const FOR_MS = process.env['FRACTUS_FULL'] === '1' ? 600_000 : 15_000;
const SEED = Number(process.env['FRACTUS_SEED'] ?? randomInt(2 ** 31));
const contract = placementRoutes();
const about = contract ? describe : describe.skip;
if (!contract)
  console.log(
    'fuzzing of Placement is skipped: placement-schemas.json is not at hand (FRACTUS_SHARED names its folder)',
  );

const MINORS = [
  0, 1, 2, 5, 6, 7, 8, 10, 11, 12, 13, 14, 17, 18, 19, 20, 22, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37,
  38, 39,
];
const minorOf = (version: string): number => Number(version.split('.')[1]);
const QUERIES = [
  'resources',
  'required',
  'member_of',
  'in_tree',
  'limit',
  'group_policy',
  'name',
  'uuid',
  'associated',
  'project_id',
  'user_id',
  'consumer_type',
  'resources1',
  'required1',
  'same_subtree',
  'root_required',
  'resources_A',
  'in_tree1',
  'member_of1',
];
const VALUES = [
  'VCPU:1',
  'VCPU:1,MEMORY_MB:64',
  'MEMORY_MB:0',
  'VCPU:99999999999',
  'COMPUTE_NODE',
  '!COMPUTE_NODE',
  'in:COMPUTE_NODE,HW_CPU_X86_AVX',
  'none',
  'isolate',
  '_A,1',
  'startswith:CUSTOM',
  'in:c6f4b1a4-9d1f-4d5a-8b5e-2f0a7b1c3d4e',
  'all',
];

about('Placement under fire', () => {
  const cloud = useCloud({ hosts: 2 });

  it(
    `never answers 5xx, and servers boot afterwards (seed ${SEED})`,
    async () => {
      const { admin, demo } = cloud();
      const token = await admin.authenticate();
      const made = await admin.placement.post('/resource_providers', { name: 'target' }, { version: '1.39' });
      const consumer = await new Servers(admin).boot();
      // providers of hosts are shown, never changed: what is valid would take their inventories away
      const hosts = (await admin.placement.get('/resource_providers', { version: '1.39' })).body.resource_providers.map(
        (p: { uuid: string }) => p.uuid,
      );
      const own = [
        made.body.uuid,
        '11111111-2222-3333-4444-555555555555',
        'VCPU',
        'CUSTOM_X',
        'DISK_GB',
        'CUSTOM_TARGET',
      ];
      const known = (method: string) => (method === 'GET' ? [...own, ...hosts, consumer] : own);

      const request = (route: PlacementRoute, minor: number): fc.Arbitrary<RawRequest> => {
        const { method, path } = route;
        const slot = route.request.find(
          (s) =>
            s.in === 'body' &&
            (s.min === null || minorOf(s.min) <= minor) &&
            (s.max === null || minor <= minorOf(s.max)),
        );
        const body = slot
          ? bytesOf(near(contract!.schemaOf(slot.schema.$ref), 40))
          : fc.constant(method === 'GET' || method === 'DELETE' ? undefined : Buffer.from('{}'));
        return fc
          .tuple(pathOf(path || '/', known(method)), queryOf(QUERIES, [...VALUES, ...own]), body)
          .map(([filled, query, bytes]) => ({
            method,
            path: `${filled}${query}`,
            headers: {
              'x-auth-token': token,
              accept: 'application/json',
              'openstack-api-version': `placement 1.${minor}`,
              ...(bytes ? { 'content-type': 'application/json', 'content-length': String(bytes.length) } : {}),
            },
            ...(bytes ? { body: bytes } : {}),
          }));
      };
      // POST /reshaper and /allocations name providers in their bodies, which the schemas fill with none of ours
      const requests = fc.oneof(...contract!.routes.flatMap((route) => MINORS.map((minor) => request(route, minor))));
      const tally = await attack({ origin: cloud().urls.placement, requests, forMs: FOR_MS, seed: SEED });
      expect((tally[200] ?? 0) + (tally[204] ?? 0)).toBeGreaterThan(0);
      expect(tally[400]).toBeGreaterThan(0);
      const servers = new Servers(demo);
      await servers.delete(await servers.boot({ server: { networks: 'auto' } }));
    },
    FOR_MS + 120_000,
  );
});
