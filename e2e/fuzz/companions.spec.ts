/** Spoiled examples of what clients send to identity, image and network: none may answer 5xx. */
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import {
  attack,
  bytesOf,
  pathOf,
  queryOf,
  Servers,
  spoiled,
  useCloud,
  type RawRequest,
  type ServiceName,
} from '@fractus/testing';

const FOR_MS = process.env['FRACTUS_FULL'] === '1' ? 600_000 : 10_000;
const SEED = Number(process.env['FRACTUS_SEED'] ?? randomInt(2 ** 31));

/** `METHOD path`, and an example body. */
type Call = readonly [call: string, body?: unknown];
interface Target {
  readonly service: ServiceName;
  readonly calls: readonly Call[];
  readonly query: readonly string[];
}

const UUID = 'c6f4b1a4-9d1f-4d5a-8b5e-2f0a7b1c3d4e';
const resource = (path: string, body: Record<string, unknown>, change: 'PUT' | 'PATCH' = 'PUT'): Call[] => {
  const changed = Object.fromEntries(Object.entries(body).map(([key, value]) => [key, value]));
  return [
    [`GET ${path}`],
    [`POST ${path}`, body],
    [`GET ${path}/{id}`],
    [`${change} ${path}/{id}`, changed],
    [`DELETE ${path}/{id}`],
  ];
};
const password = {
  methods: ['password'],
  password: { user: { name: 'demo', domain: { id: 'default' }, password: 'wrong' } },
};

const TARGETS: readonly Target[] = [
  {
    service: 'identity',
    query: [
      'name',
      'domain_id',
      'enabled',
      'limit',
      'marker',
      'parent_id',
      'tags',
      'user.id',
      'scope.project.id',
      'nocatalog',
      'effective',
      'include_names',
    ],
    calls: [
      ['GET /'],
      ['GET /v3'],
      [
        'POST /v3/auth/tokens',
        { auth: { identity: password, scope: { project: { name: 'demo', domain: { id: 'default' } } } } },
      ],
      [
        'POST /v3/auth/tokens',
        { auth: { identity: { methods: ['token'], token: { id: 'x' } }, scope: { system: { all: true } } } },
      ],
      [
        'POST /v3/auth/tokens',
        {
          auth: { identity: { methods: ['application_credential'], application_credential: { id: 'x', secret: 'y' } } },
        },
      ],
      ['GET /v3/auth/catalog'],
      ['GET /v3/auth/projects'],
      ...resource(
        '/v3/projects',
        { project: { name: 'p', domain_id: 'default', description: 'd', enabled: true, tags: ['a'], parent_id: null } },
        'PATCH',
      ),
      ...resource(
        '/v3/users',
        {
          user: {
            name: 'u',
            domain_id: 'default',
            password: 'x',
            enabled: true,
            email: 'a@b',
            default_project_id: UUID,
          },
        },
        'PATCH',
      ),
      ...resource('/v3/groups', { group: { name: 'g', domain_id: 'default', description: 'd' } }, 'PATCH'),
      ...resource('/v3/roles', { role: { name: 'r', description: 'd', domain_id: null } }, 'PATCH'),
      ...resource('/v3/domains', { domain: { name: 'd', enabled: true } }, 'PATCH'),
      ...resource('/v3/services', { service: { type: 't', name: 'n', enabled: true } }, 'PATCH'),
      ...resource(
        '/v3/endpoints',
        { endpoint: { service_id: UUID, interface: 'public', url: 'http://x', region_id: 'RegionOne' } },
        'PATCH',
      ),
      ...resource('/v3/users/{id}/application_credentials', {
        application_credential: {
          name: 'a',
          secret: 's',
          roles: [{ name: 'member' }],
          expires_at: '2030-01-01T00:00:00Z',
          unrestricted: false,
        },
      }),
      ['PUT /v3/projects/{id}/users/{id}/roles/{id}'],
      ['DELETE /v3/projects/{id}/users/{id}/roles/{id}'],
      ['GET /v3/role_assignments'],
      ['POST /v3/users/{id}/password', { user: { password: 'a', original_password: 'b' } }],
    ],
  },
  {
    service: 'image',
    query: [
      'name',
      'status',
      'visibility',
      'limit',
      'marker',
      'sort',
      'sort_key',
      'sort_dir',
      'size_min',
      'size_max',
      'tag',
      'id',
      'created_at',
      'owner',
    ],
    calls: [
      ['GET /'],
      ['GET /v2/schemas/image'],
      ...resource('/v2/images', {
        name: 'i',
        disk_format: 'raw',
        container_format: 'bare',
        min_disk: 1,
        min_ram: 1,
        visibility: 'private',
        protected: false,
        tags: ['a'],
        hw_vif_model: 'virtio',
      }),
      [
        'PATCH /v2/images/{id}',
        [
          { op: 'replace', path: '/name', value: 'x' },
          { op: 'add', path: '/a~1b', value: 'y' },
          { op: 'remove', path: '/c' },
        ],
      ],
      ['GET /v2/images/{id}/file'],
      ['PUT /v2/images/{id}/file', 'bytes'],
      ['PUT /v2/images/{id}/tags/{id}'],
      ['DELETE /v2/images/{id}/tags/{id}'],
      ['GET /v2/images/{id}/members'],
      ['POST /v2/images/{id}/members', { member: UUID }],
      ['PUT /v2/images/{id}/members/{id}', { status: 'accepted' }],
      ['POST /v2/images/{id}/actions/deactivate'],
    ],
  },
  {
    service: 'network',
    query: [
      'name',
      'id',
      'fields',
      'limit',
      'marker',
      'sort_key',
      'sort_dir',
      'page_reverse',
      'device_id',
      'network_id',
      'fixed_ips',
      'shared',
      'router:external',
      'tags',
      'tenant_id',
      'status',
      'admin_state_up',
    ],
    calls: [
      ['GET /'],
      ['GET /v2.0/extensions'],
      ['GET /v2.0/extensions/{id}'],
      ...resource('/v2.0/networks', {
        network: {
          name: 'n',
          admin_state_up: true,
          shared: false,
          mtu: 1500,
          'router:external': false,
          port_security_enabled: true,
        },
      }),
      ...resource('/v2.0/subnets', {
        subnet: {
          network_id: UUID,
          ip_version: 4,
          cidr: '10.9.0.0/24',
          gateway_ip: '10.9.0.1',
          enable_dhcp: true,
          allocation_pools: [{ start: '10.9.0.2', end: '10.9.0.9' }],
          dns_nameservers: ['1.1.1.1'],
          host_routes: [{ destination: '0.0.0.0/0', nexthop: '10.9.0.1' }],
        },
      }),
      ...resource('/v2.0/ports', {
        port: {
          network_id: UUID,
          name: 'p',
          mac_address: 'fa:16:3e:00:00:01',
          fixed_ips: [{ ip_address: '10.0.0.9', subnet_id: UUID }],
          device_id: 'd',
          device_owner: 'x',
          security_groups: [],
          'binding:host_id': 'h',
          'binding:profile': {},
          allowed_address_pairs: [{ ip_address: '10.0.0.1' }],
        },
      }),
      ...resource('/v2.0/security-groups', { security_group: { name: 's', description: 'd' } }),
      ...resource('/v2.0/security-group-rules', {
        security_group_rule: {
          security_group_id: UUID,
          direction: 'ingress',
          ethertype: 'IPv4',
          protocol: 'tcp',
          port_range_min: 1,
          port_range_max: 2,
          remote_ip_prefix: '0.0.0.0/0',
        },
      }),
      ...resource('/v2.0/routers', { router: { name: 'r', external_gateway_info: { network_id: UUID } } }),
      ['PUT /v2.0/routers/{id}/add_router_interface', { subnet_id: UUID }],
      ...resource('/v2.0/floatingips', { floatingip: { floating_network_id: UUID, port_id: UUID } }),
      ['GET /v2.0/quotas/{id}'],
      ['PUT /v2.0/quotas/{id}', { quota: { port: 7, network: -1 } }],
      ['PUT /v2.0/networks/{id}/tags', { tags: ['a'] }],
    ],
  },
];

describe('the companions under fire', () => {
  const cloud = useCloud({ hosts: 1 });

  it.each(TARGETS)(
    `$service never answers 5xx, and servers boot afterwards (seed ${SEED})`,
    async ({ service, calls, query }) => {
      const token = await cloud().admin.authenticate();
      const own = [UUID, 'default', ...(await things(service))];
      const requests = fc.oneof(
        ...calls.map(([call, body]) => {
          const [method = '', path = ''] = call.split(' ');
          const bytes = body === undefined ? fc.constant(undefined) : bytesOf(spoiled(withIds(body, own), 60));
          const ids = method === 'DELETE' ? [UUID, 'nobody'] : own;
          const type =
            method === 'PATCH' && service === 'image'
              ? 'application/openstack-images-v2.1-json-patch'
              : path.endsWith('/file')
                ? 'application/octet-stream'
                : 'application/json';
          return fc.tuple(pathOf(path, ids), queryOf(query, own), bytes).map(([filled, search, sent]): RawRequest => ({
            method,
            path: `${filled}${search}`,
            headers: {
              'x-auth-token': token,
              accept: 'application/json',
              ...(sent ? { 'content-type': type, 'content-length': String(sent.length) } : {}),
            },
            ...(sent ? { body: sent } : {}),
          }));
        }),
      );
      const tally = await attack({ origin: cloud().urls[service], requests, forMs: FOR_MS, seed: SEED });
      expect(tally[200]).toBeGreaterThan(0);
      const servers = new Servers(cloud().demo);
      await servers.delete(
        await servers.boot({
          server: {
            networks: (await cloud().demo.network.get('/networks?name=private')).body.networks.map(
              (n: { id: string }) => ({ uuid: n.id }),
            ),
          },
        }),
      );
    },
    FOR_MS + 120_000,
  );

  /** Ids of things made to be maltreated. */
  async function things(service: ServiceName): Promise<string[]> {
    const { identity, image, network } = cloud().admin;
    if (service === 'identity') {
      const user = await identity.post('/users', { user: { name: 'target', password: 'x', domain_id: 'default' } });
      const project = await identity.post('/projects', { project: { name: 'target', domain_id: 'default' } });
      return [user.body.user.id, project.body.project.id];
    }
    if (service === 'image')
      return [(await image.post('/images', { name: 'target', disk_format: 'raw', container_format: 'bare' })).body.id];
    const made = await network.post('/networks', { network: { name: 'target' } });
    const id: string = made.body.network.id;
    const subnet = await network.post('/subnets', { subnet: { network_id: id, ip_version: 4, cidr: '10.8.0.0/24' } });
    const port = await network.post('/ports', { port: { network_id: id } });
    return [id, subnet.body.subnet.id, port.body.port.id];
  }
});

/** The example with its placeholder ids replaced by ids of things that are there. */
function withIds(body: unknown, ids: readonly string[]): unknown {
  let n = 2;
  return JSON.parse(JSON.stringify(body), (_key, value: unknown) =>
    value === UUID ? (ids[n++ % ids.length] ?? UUID) : value,
  );
}
