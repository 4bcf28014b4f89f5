import { added, defineVersion, reshaped, type View } from '@fractus/microversions';

/** Before, a hypervisor without servers did not say so. */
const withoutNoServers = ({ servers, ...view }: View): View =>
  Array.isArray(servers) && servers.length > 0 ? { ...view, servers } : view;

/** Before, an updated server's addresses came without what kind they are and on which port. */
const withPlainAddresses = (server: View): View => ({
  ...server,
  addresses: Object.fromEntries(
    Object.entries(server.addresses as Record<string, View[]>).map(([network, list]) => [
      network,
      list.map(({ version, addr }) => ({ version, addr })),
    ]),
  ),
});

export const v2_75 = defineVersion({
  version: '2.75',
  summary:
    'Unknown query parameters are refused in many lists; a flavor without swap shows 0, a hypervisor without servers an empty list.',
  responses: [
    reshaped('hypervisor', withoutNoServers),
    reshaped('hypervisor-brief', withoutNoServers),
    added(
      'updated-server',
      'OS-EXT-AZ:availability_zone',
      'OS-EXT-SRV-ATTR:host',
      'OS-EXT-SRV-ATTR:hostname',
      'OS-EXT-SRV-ATTR:kernel_id',
      'OS-EXT-SRV-ATTR:launch_index',
      'OS-EXT-SRV-ATTR:ramdisk_id',
      'OS-EXT-SRV-ATTR:reservation_id',
      'OS-EXT-SRV-ATTR:root_device_name',
      'OS-EXT-SRV-ATTR:user_data',
      'OS-EXT-SRV-ATTR:hypervisor_hostname',
      'OS-EXT-SRV-ATTR:instance_name',
      'OS-EXT-STS:power_state',
      'OS-EXT-STS:task_state',
      'OS-EXT-STS:vm_state',
      'OS-SRV-USG:launched_at',
      'OS-SRV-USG:terminated_at',
      'config_drive',
      'host_status',
      'key_name',
      'os-extended-volumes:volumes_attached',
      'security_groups',
    ),
    reshaped('updated-server', withPlainAddresses),
    reshaped('flavor', (flavor) => ({ ...flavor, swap: flavor.swap === 0 ? '' : flavor.swap })),
  ],
});
