/** Requests near the contract's schemas against every operation that the Compute API declares: none may answer 5xx. */
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import type { Operation, Version } from '@fractus/microversions';
import {
  attack,
  bytesOf,
  computeOperations,
  near,
  NovaContract,
  pathOf,
  queryOf,
  Servers,
  useCloud,
  type ContractOperation,
  type LooseSchema,
  type RawRequest,
} from '@fractus/testing';

const FOR_MS = process.env['FRACTUS_FULL'] === '1' ? 600_000 : 25_000;
const SEED = Number(process.env['FRACTUS_SEED'] ?? randomInt(2 ** 31));
const contract = NovaContract.load();
const about = contract ? describe : describe.skip;
if (!contract)
  console.log(
    'fuzzing of the Compute API is skipped: nova-api-contract.json is not at hand (FRACTUS_SHARED names its folder)',
  );

const VERSIONS = [
  '2.1',
  '2.2',
  '2.26',
  '2.36',
  '2.37',
  '2.52',
  '2.53',
  '2.56',
  '2.57',
  '2.63',
  '2.67',
  '2.73',
  '2.74',
  '2.75',
  '2.89',
  '2.90',
  '2.93',
  '2.94',
  '2.96',
  '2.102',
  '2.104',
  'latest',
];
const BAD_VERSIONS = [
  '2.0',
  '2.105',
  '3.1',
  '',
  'x',
  '2',
  '2.1.1',
  '-2.1',
  '2.01',
  '9'.repeat(400),
  '2.99999999999999999999',
];
const DANGEROUS = /os-services|os-quota-class-sets|os-quota-sets/;

about('the Compute API under fire', () => {
  const cloud = useCloud({ hosts: 2 });

  it(
    `never answers 5xx, and works afterwards (seed ${SEED})`,
    async () => {
      const { admin, demo } = cloud();
      const servers = new Servers(admin);
      const ids = [
        await servers.boot({ server: { networks: 'auto' } }),
        await servers.boot(),
        '11111111-2222-3333-4444-555555555555',
        'default',
        'x',
      ];
      const aggregate = await admin.compute.post('/os-aggregates', { aggregate: { name: 'target' } });
      const flavor = await admin.compute.post('/flavors', {
        flavor: { name: 'target', id: 'target', ram: 64, vcpus: 1, disk: 1 },
      });
      await admin.compute.post('/os-keypairs', { keypair: { name: 'target' } });
      expect(flavor.status).toBe(200);
      ids.push(String(aggregate.body.aggregate.id), 'target');
      const tokens = [await admin.authenticate(), await admin.authenticate(), await demo.authenticate()];
      const image = await servers.imageId();
      // what is valid must not take the cloud's own hosts and limits away
      const harmless = (method: string, path: string) =>
        method === 'DELETE' || DANGEROUS.test(path) ? ['11111111-2222-3333-4444-555555555555', 'nobody', '7'] : ids;

      const request = ({ operation, version }: { operation: Operation; version: string }): fc.Arbitrary<RawRequest> => {
        const [method = '', path = '', action] = operation.name.split(' ');
        const stated = contract!.find(method, path, action);
        const { body, query } = stated ? schemasAt(stated, version) : {};
        const bytes =
          method === 'GET'
            ? fc.constant(undefined)
            : bytesOf(body ? near(body, 40) : fc.constantFrom(action ? { [action]: null } : {}));
        const search = queryOf(Object.keys(query?.properties ?? {}), [
          image,
          ...ids,
          'ACTIVE',
          'display_name',
          'host-1',
        ]);
        const endpoint = fc.constantFrom('/v2.1', '/v2.1', '/v2.1', '/v2');
        return fc
          .tuple(endpoint, pathOf(path, harmless(method, path)), search, bytes, fc.constantFrom(...tokens))
          .map(([root, filled, sought, sent, token]) => ({
            method,
            path: `${root}${filled}${sought}`,
            headers: {
              'x-auth-token': token,
              accept: 'application/json',
              'openstack-api-version': `compute ${version}`,
              ...(sent ? { 'content-type': 'application/json', 'content-length': String(sent.length) } : {}),
            },
            ...(sent ? { body: sent } : {}),
          }));
      };
      const all = computeOperations().flatMap((operation) =>
        [
          ...VERSIONS.filter((v) => v === 'latest' || operation.exists(v as Version)),
          BAD_VERSIONS[operation.name.length % BAD_VERSIONS.length]!,
        ].map((version) => request({ operation, version })),
      );
      const requests = fc.oneof(...all);
      const tally = await attack({ origin: cloud().urls.compute, requests, forMs: FOR_MS, seed: SEED });
      const sum = (from: number, to: number) =>
        Object.entries(tally).reduce(
          (n, [status, count]) => n + (Number(status) >= from && Number(status) < to ? count : 0),
          0,
        );
      console.log(JSON.stringify(tally));
      // the requests must be near enough to what is valid for some to get through
      expect(sum(200, 300)).toBeGreaterThan(sum(200, 500) / 50);
      expect(tally[400]).toBeGreaterThan(0);

      const stillWorks = new Servers(demo);
      await stillWorks.delete(await stillWorks.boot({ server: { networks: 'auto' } }));
    },
    FOR_MS + 120_000,
  );

  const schemasAt = (operation: ContractOperation, version: string): { body?: LooseSchema; query?: LooseSchema } => {
    const at = /^2\.\d{1,3}$/.test(version) ? version : '2.104';
    return { body: contract!.requestSchema(operation, at), query: contract!.querySchema(operation, at) };
  };
});
