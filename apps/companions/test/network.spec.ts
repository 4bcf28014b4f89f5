import { eachDatabaseUrl } from '@fractus/database/testing';
import { CloudRig } from './cloud-rig';
import type { Answer } from './identity-rig';

interface Net {
  id: string;
  name: string;
  subnets: string[];
  shared: boolean;
}
interface Port {
  id: string;
  mac_address: string;
  fixed_ips: { subnet_id: string; ip_address: string }[];
  security_groups: string[];
  status: string;
  [name: string]: unknown;
}
type Paged = Record<string, { name: string; rel: string; href: string }[]>;
type Fault = { NeutronError: { type: string; message: string } };

eachDatabaseUrl('network', (newUrl) => {
  let cloud: CloudRig;
  beforeAll(async () => {
    cloud = await CloudRig.start(newUrl);
  });
  afterAll(() => cloud.close());

  const make = async <T>(path: string, key: string, body: object, token = cloud.demo): Promise<T> => {
    const answer = await cloud.onNetwork<Record<string, T>>('POST', path, { [key]: body }, token);
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    return answer.body[key]!;
  };
  const newNetwork = async (cidr: string, more: object = {}): Promise<Net & { subnet: string }> => {
    const net = await make<Net>('/networks', 'network', { name: `net-${cidr}` });
    const subnet = await make<{ id: string }>('/subnets', 'subnet', {
      network_id: net.id,
      cidr,
      ip_version: 4,
      ...more,
    });
    return { ...net, subnet: subnet.id };
  };
  const refusal = async (
    method: string,
    path: string,
    json: unknown,
    token = cloud.demo,
  ): Promise<[number, string]> => {
    const { status, body } = await cloud.onNetwork<Fault>(method, path, json, token);
    return [status, body.NeutronError?.type];
  };
  const seeded = async (name: string, token = cloud.demo): Promise<Net> =>
    (await cloud.onNetwork<{ networks: Net[] }>('GET', `/networks?name=${name}`, undefined, token)).body.networks[0]!;

  it('starts with a shared and an external network', async () => {
    expect(await seeded('private')).toMatchObject({
      shared: true,
      'router:external': false,
      mtu: 1450,
      status: 'ACTIVE',
    });
    expect(await seeded('public')).toMatchObject({ shared: false, 'router:external': true });
    expect(await seeded('public')).not.toHaveProperty('provider:network_type');
    expect(await seeded('public', cloud.admin)).toHaveProperty('provider:network_type');
  });

  describe('ports', () => {
    it('get address, MAC and the project’s default group, and come up once a host has them', async () => {
      const net = await seeded('private');
      const port = await make<Port>('/ports', 'port', { network_id: net.id, device_id: 'server-1' });
      expect(port.mac_address).toMatch(/^fa:16:3e(:[0-9a-f]{2}){3}$/);
      expect(port.fixed_ips).toEqual([
        { subnet_id: net.subnets[0], ip_address: expect.stringMatching(/^10\.0\.[0-3]\.\d+$/) },
      ]);
      expect(port.security_groups).toHaveLength(1);
      expect(port.status).toBe('DOWN');
      expect(port).not.toHaveProperty('binding:host_id');
      expect(await refusal('PUT', `/ports/${port.id}`, { port: { 'binding:host_id': 'h1' } })).toEqual([
        403,
        'PolicyNotAuthorized',
      ]);
      const bound = await cloud.onNetwork<{ port: Port }>(
        'PUT',
        `/ports/${port.id}`,
        { port: { 'binding:host_id': 'h1' } },
        cloud.admin,
      );
      expect(bound.body.port).toMatchObject({ status: 'ACTIVE', 'binding:vif_type': 'ovs', 'binding:host_id': 'h1' });
      const byDevice = await cloud.onNetwork<{ ports: Port[] }>(
        'GET',
        '/ports?device_id=server-1&fields=id&fields=status',
      );
      expect(byDevice.body.ports).toEqual([{ id: port.id, status: 'ACTIVE' }]);
      expect((await cloud.onNetwork('DELETE', `/ports/${port.id}`)).status).toBe(204);
      expect(await refusal('GET', `/ports/${port.id}`, undefined)).toEqual([404, 'PortNotFound']);
    });

    it('may ask for addresses, which are given once', async () => {
      const net = await newNetwork('192.168.1.0/24');
      const port = (fixed_ips: object[]) => ({ port: { network_id: net.id, fixed_ips } });
      const first = await make<Port>('/ports', 'port', port([{ ip_address: '192.168.1.77' }]).port);
      expect(first.fixed_ips[0]!.ip_address).toBe('192.168.1.77');
      expect(await refusal('POST', '/ports', port([{ ip_address: '192.168.1.77' }]))).toEqual([
        409,
        'IpAddressAlreadyAllocated',
      ]);
      expect(await refusal('POST', '/ports', port([{ ip_address: '10.9.9.9' }]))).toEqual([400, 'InvalidIpForNetwork']);
      expect(await refusal('POST', '/ports', port([{ ip_address: 'x' }]))).toEqual([400, 'InvalidIpForNetwork']);
      expect(await refusal('POST', '/ports', port([{ subnet_id: '00000000-0000-0000-0000-000000000000' }]))).toEqual([
        404,
        'SubnetNotFound',
      ]);
      const changed = await cloud.onNetwork<{ port: Port }>('PUT', `/ports/${first.id}`, {
        port: { fixed_ips: [{ subnet_id: net.subnet }, { ip_address: '192.168.1.78' }] },
      });
      expect(changed.body.port.fixed_ips.map((f) => f.ip_address)).toEqual(['192.168.1.77', '192.168.1.78']);
      const found = await cloud.onNetwork<{ ports: Port[] }>('GET', '/ports?fixed_ips=ip_address=192.168.1.78');
      expect(found.body.ports.map((p) => p.id)).toEqual([first.id]);
      const bare = await make<Port>('/ports', 'port', { network_id: net.id, fixed_ips: [] });
      expect(bare.fixed_ips).toEqual([]);
    });

    it('keep MACs apart within a network', async () => {
      const net = await newNetwork('192.168.2.0/24');
      await make('/ports', 'port', { network_id: net.id, mac_address: '02:00:00:00:00:0A' });
      expect(
        await refusal('POST', '/ports', { port: { network_id: net.id, mac_address: '02:00:00:00:00:0a' } }),
      ).toEqual([409, 'MacAddressInUse']);
    });

    it('are made together or not at all', async () => {
      const net = await newNetwork('192.168.3.0/30');
      expect(await refusal('POST', '/ports', { ports: [{ network_id: net.id }, { network_id: net.id }] })).toEqual([
        409,
        'IpAddressGenerationFailure',
      ]);
      expect((await cloud.onNetwork<{ ports: Port[] }>('GET', `/ports?network_id=${net.id}`)).body.ports).toEqual([]);
    });

    it('compute their IPv6 address where the subnet leaves it to them', async () => {
      const net = await make<Net>('/networks', 'network', { name: 'six' });
      const subnet = {
        network_id: net.id,
        cidr: '2001:db8::/64',
        ip_version: 6,
        ipv6_address_mode: 'slaac',
        ipv6_ra_mode: 'slaac',
      };
      await make('/subnets', 'subnet', subnet);
      const port = await make<Port>('/ports', 'port', { network_id: net.id, mac_address: 'fa:16:3e:01:02:03' });
      expect(port.fixed_ips[0]!.ip_address).toBe('2001:db8::f816:3eff:fe01:203');
    });
  });

  it('never gives an address twice, and every one once, however many ask at the same time', async () => {
    const net = await newNetwork('192.168.10.0/26');
    const all = 64 - 3;
    const ask = () => cloud.onNetwork<{ port: Port }>('POST', '/ports', { port: { network_id: net.id } });
    const answers = await Promise.all(Array.from({ length: all + 9 }, ask));
    const made = answers.filter((a) => a.status === 201).map((a) => a.body.port);
    expect(answers.filter((a) => a.status === 409)).toHaveLength(9);
    expect(new Set(made.map((p) => p.fixed_ips[0]!.ip_address)).size).toBe(all);
    expect(new Set(made.map((p) => p.mac_address)).size).toBe(all);
    await Promise.all(made.slice(0, 20).map((p) => cloud.onNetwork('DELETE', `/ports/${p.id}`)));
    const again = await Promise.all(Array.from({ length: 21 }, ask));
    expect(again.filter((a) => a.status === 201)).toHaveLength(20);
  });

  describe('networks and subnets', () => {
    it('cannot go while ports are on them', async () => {
      const net = await newNetwork('192.168.20.0/24');
      const port = await make<Port>('/ports', 'port', { network_id: net.id });
      expect(await refusal('DELETE', `/networks/${net.id}`, undefined)).toEqual([409, 'NetworkInUse']);
      expect(await refusal('DELETE', `/subnets/${net.subnet}`, undefined)).toEqual([409, 'SubnetInUse']);
      await cloud.onNetwork('DELETE', `/ports/${port.id}`);
      expect((await cloud.onNetwork('DELETE', `/networks/${net.id}`)).status).toBe(204);
      expect(await refusal('GET', `/subnets/${net.subnet}`, undefined)).toEqual([404, 'SubnetNotFound']);
    });

    it.each([
      ['no cidr', { ip_version: 4 }, [400, 'BadRequest']],
      ['a cidr that is none', { cidr: '10.0.0.0/33' }, [400, 'InvalidInput']],
      ['another version', { cidr: '10.0.0.0/24', ip_version: 6 }, [400, 'InvalidInput']],
      [
        'a pool outside',
        { cidr: '10.0.0.0/24', allocation_pools: [{ start: '10.0.1.1', end: '10.0.1.9' }] },
        [400, 'OutOfBoundsAllocationPool'],
      ],
      [
        'a gateway in the pool',
        { cidr: '10.0.0.0/24', allocation_pools: [{ start: '10.0.0.1', end: '10.0.0.9' }] },
        [409, 'GatewayConflictWithAllocationPools'],
      ],
      ['an unknown attribute', { cidr: '10.0.0.0/24', colour: 'red' }, [400, 'HTTPBadRequest']],
    ])('are refused with %s', async (_what, subnet, expected) => {
      const net = await make<Net>('/networks', 'network', {});
      expect(await refusal('POST', '/subnets', { subnet: { network_id: net.id, ...subnet } })).toEqual(expected);
    });

    it('do not overlap', async () => {
      const net = await newNetwork('192.168.30.0/24');
      const subnet = { network_id: net.id, cidr: '192.168.30.128/25', ip_version: 4 };
      expect(await refusal('POST', '/subnets', { subnet })).toEqual([400, 'InvalidInput']);
    });

    it('are another project’s own', async () => {
      const net = await make<Net>('/networks', 'network', { name: 'mine' }, cloud.admin);
      expect(await refusal('GET', `/networks/${net.id}`, undefined)).toEqual([404, 'NetworkNotFound']);
      expect(await refusal('POST', '/ports', { port: { network_id: net.id } })).toEqual([404, 'NetworkNotFound']);
      expect(await refusal('DELETE', `/networks/${(await seeded('private')).id}`, undefined)).toEqual([
        403,
        'PolicyNotAuthorized',
      ]);
      expect(await refusal('POST', '/networks', { network: { shared: true } })).toEqual([403, 'PolicyNotAuthorized']);
      expect(await refusal('POST', '/networks', { network: { tenant_id: 'other' } })).toEqual([
        403,
        'PolicyNotAuthorized',
      ]);
    });
  });

  it('pages through a sorted list, each once, there and back', async () => {
    await Promise.all(
      ['p3', 'p1', 'p2', 'p1', 'p5'].map((name) =>
        make('/security-groups', 'security_group', { name, description: 'paged' }),
      ),
    );
    const visit = async (query: string): Promise<string[]> => {
      const seen: string[] = [];
      for (let path: string | undefined = `/security-groups?description=paged&limit=2&${query}`; path;) {
        const answer: Answer<Paged> = await cloud.onNetwork<Paged>('GET', path);
        seen.push(...answer.body['security_groups']!.map((g) => g.name));
        const next: string | undefined = answer.body['security_groups_links']?.find((l) => l.rel === 'next')?.href;
        path = next?.slice(`${cloud.network.url}/v2.0`.length);
      }
      return seen;
    };
    expect(await visit('sort_key=name&sort_dir=asc')).toEqual(['p1', 'p1', 'p2', 'p3', 'p5']);
    expect(await visit('sort_key=name&sort_dir=desc')).toEqual(['p5', 'p3', 'p2', 'p1', 'p1']);
    expect((await visit('')).sort()).toEqual(['p1', 'p1', 'p2', 'p3', 'p5']);
  });

  it('keeps a default security group for each project, with rules and their rules', async () => {
    const listed = await cloud.onNetwork<{ security_groups: { id: string; security_group_rules: object[] }[] }>(
      'GET',
      `/security-groups?tenant_id=${cloud.projects.demo}&name=default`,
    );
    const [group] = listed.body.security_groups;
    expect(group!.security_group_rules).toHaveLength(4);
    expect(await refusal('DELETE', `/security-groups/${group!.id}`, undefined)).toEqual([
      409,
      expect.stringMatching(/InUse|CannotRemoveDefault/),
    ]);
    const own = await make<{ id: string }>('/security-groups', 'security_group', { name: 'web' });
    const rule = {
      security_group_id: own.id,
      direction: 'ingress',
      protocol: 'tcp',
      port_range_min: 80,
      port_range_max: 80,
    };
    expect(await make('/security-group-rules', 'security_group_rule', rule)).toMatchObject({
      ethertype: 'IPv4',
      protocol: 'tcp',
    });
    expect(await refusal('POST', '/security-group-rules', { security_group_rule: rule })).toEqual([
      409,
      'SecurityGroupRuleExists',
    ]);
    const upside = { ...rule, port_range_min: 90 };
    expect(await refusal('POST', '/security-group-rules', { security_group_rule: upside })).toEqual([
      400,
      'SecurityGroupInvalidPortRange',
    ]);
    const net = await seeded('private');
    const port = await make<Port>('/ports', 'port', { network_id: net.id, security_groups: [own.id] });
    expect(await refusal('DELETE', `/security-groups/${own.id}`, undefined)).toEqual([409, 'SecurityGroupInUse']);
    await cloud.onNetwork('DELETE', `/ports/${port.id}`);
    expect((await cloud.onNetwork('DELETE', `/security-groups/${own.id}`)).status).toBe(204);
  });

  it('routes: interfaces, a gateway, floating addresses', async () => {
    const net = await newNetwork('192.168.40.0/24');
    const external = await seeded('public');
    const router = await make<{ id: string; external_gateway_info: object }>('/routers', 'router', {
      name: 'r',
      external_gateway_info: { network_id: external.id },
    });
    expect(router.external_gateway_info).toMatchObject({
      network_id: external.id,
      external_fixed_ips: [{ subnet_id: external.subnets[0] }],
    });
    const added = await cloud.onNetwork('PUT', `/routers/${router.id}/add_router_interface`, { subnet_id: net.subnet });
    expect([added.status, added.body]).toEqual([
      200,
      expect.objectContaining({ id: router.id, subnet_id: net.subnet }),
    ]);
    const port = await make<Port>('/ports', 'port', { network_id: net.id });
    const ip = await make<{ id: string; port_id: string }>('/floatingips', 'floatingip', {
      floating_network_id: external.id,
      port_id: port.id,
    });
    expect(ip).toMatchObject({
      port_id: port.id,
      router_id: router.id,
      status: 'ACTIVE',
      fixed_ip_address: port.fixed_ips[0]!.ip_address,
    });
    const freed = await cloud.onNetwork<{ floatingip: object }>('PUT', `/floatingips/${ip.id}`, {
      floatingip: { port_id: null },
    });
    expect(freed.body.floatingip).toMatchObject({ port_id: null, status: 'DOWN' });
    expect((await cloud.onNetwork('DELETE', `/floatingips/${ip.id}`)).status).toBe(204);
    expect(await refusal('DELETE', `/routers/${router.id}`, undefined)).toEqual([409, 'RouterInUse']);
    const removed = await cloud.onNetwork('PUT', `/routers/${router.id}/remove_router_interface`, {
      subnet_id: net.subnet,
    });
    expect(removed.status).toBe(200);
    expect((await cloud.onNetwork('DELETE', `/routers/${router.id}`)).status).toBe(204);
  });

  it('tags what it is told to, and finds it again', async () => {
    const net = await make<Net>('/networks', 'network', { name: 'tagged' });
    expect((await cloud.onNetwork('PUT', `/networks/${net.id}/tags`, { tags: ['red', 'blue'] })).body).toEqual({
      tags: ['red', 'blue'],
    });
    expect((await cloud.onNetwork('PUT', `/networks/${net.id}/tags/green`)).status).toBe(201);
    expect((await cloud.onNetwork('DELETE', `/networks/${net.id}/tags/blue`)).status).toBe(204);
    const find = async (query: string) =>
      (await cloud.onNetwork<{ networks: Net[] }>('GET', `/networks?${query}`)).body.networks.map((n) => n.name);
    expect(await find('tags=red,green')).toEqual(['tagged']);
    expect(await find('tags=red,blue')).toEqual([]);
    expect(await find('tags-any=blue,green')).toEqual(['tagged']);
  });

  it('holds quotas', async () => {
    const path = `/quotas/${cloud.projects.demo}`;
    expect((await cloud.onNetwork('GET', path)).body).toMatchObject({ quota: { network: 100, port: -1 } });
    expect(await refusal('PUT', path, { quota: { router: 0 } })).toEqual([403, 'PolicyNotAuthorized']);
    expect((await cloud.onNetwork('PUT', path, { quota: { router: 0 } }, cloud.admin)).body).toMatchObject({
      quota: { router: 0 },
    });
    expect(await refusal('POST', '/routers', { router: {} })).toEqual([409, 'OverQuota']);
    expect((await cloud.onNetwork('DELETE', path, undefined, cloud.admin)).status).toBe(204);
  });
});
