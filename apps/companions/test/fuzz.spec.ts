import { eachDatabaseUrl } from '@fractus/database/testing';
/** Hostile input anywhere gets an answer of the 4xx kind (or does what it says), never a 5xx. */
import * as fc from 'fast-check';
import { CloudRig } from './cloud-rig';
import { call } from './identity-rig';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 40);
jest.setTimeout(120_000);

eachDatabaseUrl('fuzz', (newUrl) => {
  let cloud: CloudRig;
  let known: Record<string, string>;
  beforeAll(async () => {
    cloud = await CloudRig.start(newUrl);
    const one = async (url: string, key: string): Promise<string> =>
      (await call<Record<string, { id: string }[]>>('GET', url, { token: cloud.admin })).body[key]![0]!.id;
    known = {
      network: await one(`${cloud.network.url}/v2.0/networks`, 'networks'),
      subnet: await one(`${cloud.network.url}/v2.0/subnets`, 'subnets'),
      image: await one(`${cloud.image.url}/v2/images`, 'images'),
      domain: 'default',
      project: cloud.projects.demo,
    };
  });
  afterAll(() => cloud.close());

  const odd = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      '',
      ' ',
      '\u0000',
      '\ud800',
      '💥',
      '../..',
      "' OR 1=1 --",
      '%',
      -1,
      0,
      1e308,
      2 ** 53,
      65536,
      [],
      {},
      [[]],
      [null],
    ),
    fc.string({ maxLength: 20 }),
    fc.string({ minLength: 300, maxLength: 400 }),
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>,
  );

  /** A body of the resource's form with some members that are known and some that are odd. */
  const body = (
    resource: string,
    members: readonly string[],
    good: () => Record<string, unknown>,
  ): fc.Arbitrary<unknown> =>
    fc
      .tuple(
        fc.subarray([...members]),
        fc.array(odd, { minLength: members.length, maxLength: members.length }),
        fc.boolean(),
      )
      .map(([names, values, wrapped]) => {
        const object = { ...good(), ...Object.fromEntries(names.map((n, i) => [n, values[i]])) };
        return wrapped || !resource ? { [resource || 'x']: object, ...(resource ? {} : object) } : object;
      });

  const never5xx = async (
    method: string,
    url: string,
    token: string,
    json: unknown,
    headers: Record<string, string> = {},
  ): Promise<void> => {
    const answer = await call<unknown>(method, url, { token, headers, ...(json === undefined ? {} : { json }) });
    expect([method, url, json, answer.status >= 500, answer.body]).toEqual([method, url, json, false, answer.body]);
  };

  const words = (text: string): string[] => text.trim().split(/\s+/);
  const RESOURCES: [string, string, string, string, () => Record<string, unknown>][] = [
    [
      'identity',
      '/v3/users',
      'user',
      'name password domain_id default_project_id enabled email description extra',
      () => ({ name: `u${Math.random()}` }),
    ],
    [
      'identity',
      '/v3/projects',
      'project',
      'name domain_id parent_id enabled tags is_domain description',
      () => ({ name: `p${Math.random()}` }),
    ],
    ['identity', '/v3/domains', 'domain', 'name enabled description tags', () => ({ name: `d${Math.random()}` })],
    ['identity', '/v3/roles', 'role', 'name domain_id description', () => ({ name: `r${Math.random()}` })],
    ['identity', '/v3/groups', 'group', 'name domain_id description', () => ({ name: `g${Math.random()}` })],
    ['identity', '/v3/services', 'service', 'type name enabled', () => ({ type: 'x' })],
    ['identity', '/v3/regions', 'region', 'id parent_region_id description', () => ({})],
    [
      'identity',
      '/v3/endpoints',
      'endpoint',
      'service_id interface url region region_id enabled',
      () => ({ interface: 'public', url: 'http://x' }),
    ],
    ['identity', '/v3/auth/tokens', 'auth', 'identity scope', () => ({ identity: { methods: ['password'] } })],
    [
      'image',
      '/v2/images',
      '',
      'id name visibility owner protected disk_format min_disk tags colour status',
      () => ({ name: 'x' }),
    ],
    [
      'network',
      '/v2.0/networks',
      'network',
      'name shared mtu tenant_id provider:segmentation_id tags admin_state_up',
      () => ({}),
    ],
    [
      'network',
      '/v2.0/subnets',
      'subnet',
      'network_id cidr ip_version gateway_ip allocation_pools host_routes dns_nameservers enable_dhcp',
      () => ({ network_id: known['network'], cidr: '10.77.0.0/24' }),
    ],
    [
      'network',
      '/v2.0/ports',
      'port',
      'network_id fixed_ips mac_address device_id security_groups binding:host_id binding:profile tenant_id allowed_address_pairs',
      () => ({ network_id: known['network'] }),
    ],
    ['network', '/v2.0/security-groups', 'security_group', 'name description stateful tenant_id', () => ({})],
    [
      'network',
      '/v2.0/security-group-rules',
      'security_group_rule',
      'security_group_id direction ethertype protocol port_range_min port_range_max remote_ip_prefix',
      () => ({ direction: 'ingress' }),
    ],
    ['network', '/v2.0/routers', 'router', 'name external_gateway_info routes admin_state_up', () => ({})],
    [
      'network',
      '/v2.0/floatingips',
      'floatingip',
      'floating_network_id port_id fixed_ip_address floating_ip_address subnet_id',
      () => ({ floating_network_id: known['network'] }),
    ],
  ];
  const origin = (service: string): string =>
    service === 'identity' ? cloud.rig.identity.url : service === 'image' ? cloud.image.url : cloud.network.url;

  it.each(RESOURCES)('%s POST %s', async (service, path, resource, members, good) => {
    await fc.assert(
      fc.asyncProperty(body(resource, words(members), good), (json) =>
        never5xx('POST', origin(service) + path, cloud.admin, json),
      ),
      { numRuns: RUNS },
    );
  });

  it('image PATCH', async () => {
    const op = fc.record({
      op: fc.constantFrom('add', 'replace', 'remove', 'move', 1),
      path: fc.oneof(
        fc.constantFrom(
          '/name',
          '/tags',
          '/min_disk',
          '/visibility',
          '/owner',
          '/',
          '',
          '/a/b',
          '/x~1y',
          '/__proto__',
          '/constructor',
        ),
        odd,
      ),
      value: odd,
    });
    const headers = { 'content-type': 'application/openstack-images-v2.1-json-patch' };
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.array(op, { maxLength: 4 }), odd), (json) =>
        never5xx('PATCH', `${cloud.image.url}/v2/images/${known['image']}`, cloud.admin, json, headers),
      ),
      { numRuns: RUNS },
    );
  });

  it('queries and paths', async () => {
    const names = words(
      `name id limit marker sort sort_key sort_dir page_reverse fields tags tags-any fixed_ips shared enabled domain_id since visibility
       created_at size_min protected member_status tag user.id effective include_names nocatalog name__contains mtu device_id ip_version __proto__ constructor`,
    );
    const paths = words(
      `/v3/users /v3/projects /v3/roles /v3/role_assignments /v3/endpoints /v3/OS-REVOKE/events /v3/users/X /v3/projects/X/users/X/roles/X
       /v2/images /v2/images/X /v2/images/X/members /v2/images/X/file /v2/schemas/X
       /v2.0/networks /v2.0/ports /v2.0/subnets /v2.0/security-groups /v2.0/ports/X /v2.0/quotas/X /v2.0/extensions/X /v2.0/ports/X/tags /v2.0/X`,
    );
    const text = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom(
        '%ff',
        '%00',
        '\ud800',
        '-1',
        '1e9',
        '9'.repeat(30),
        'gt:x',
        'in:',
        'true',
        'asc',
        'name:asc',
        'ip_address=',
        'constructor',
      ),
    );
    const encode = (s: string): string => (s.startsWith('%') ? s : encodeURIComponent(Buffer.from(s).toString()));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.array(fc.tuple(fc.constantFrom(...names), text), { maxLength: 4 }),
        text,
        fc.constantFrom('GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'),
        async (path, pairs, id, method) => {
          const service = path.startsWith('/v3') ? 'identity' : path.startsWith('/v2/') ? 'image' : 'network';
          const query = pairs.map(([n, v]) => `${encode(n)}=${encode(v)}`).join('&');
          await never5xx(
            method,
            `${origin(service)}${path.replaceAll('/X', `/${encode(id) || 'y'}`)}?${query}`,
            cloud.admin,
            undefined,
          );
        },
      ),
      { numRuns: RUNS * 4 },
    );
  });

  it('headers and bodies that are no JSON', async () => {
    const raw = fc.constantFrom(
      '',
      '{',
      '[',
      'null',
      '"x"',
      '\u0000',
      '{"a":1}}',
      '{"__proto__":{}}',
      '[1,2',
      '{"auth":'.repeat(200),
    );
    const type = fc.constantFrom(
      'application/json',
      'text/plain',
      '',
      'application/octet-stream',
      'application/json; charset=utf-16',
      'a/b/c',
    );
    const url = fc.constantFrom(
      'identity/v3/auth/tokens',
      'identity/v3/users',
      'image/v2/images',
      'image/v2/images/x/file',
      'network/v2.0/ports',
    );
    await fc.assert(
      fc.asyncProperty(
        url,
        raw,
        type,
        fc.constantFrom('POST', 'PUT', 'PATCH'),
        async (target, text, contentType, method) => {
          const [service = '', ...rest] = target.split('/');
          const headers = {
            ...(contentType ? { 'content-type': contentType } : {}),
            'x-subject-token': 'x'.repeat(50),
            range: 'bytes=9-1',
          };
          const answer = await call(method, `${origin(service)}/${rest.join('/')}`, {
            token: cloud.admin,
            headers,
            body: text,
          });
          expect([target, text, contentType, answer.status < 500]).toEqual([target, text, contentType, true]);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
