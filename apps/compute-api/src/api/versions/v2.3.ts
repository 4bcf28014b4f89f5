import { added, defineVersion, reshaped, type View } from '@fractus/microversions';

export const v2_3 = defineVersion({
  version: '2.3',
  summary: "A server's volumes say whether they go with it; administrators see more of its attributes.",
  responses: [
    added(
      'server',
      'OS-EXT-SRV-ATTR:hostname',
      'OS-EXT-SRV-ATTR:kernel_id',
      'OS-EXT-SRV-ATTR:launch_index',
      'OS-EXT-SRV-ATTR:ramdisk_id',
      'OS-EXT-SRV-ATTR:reservation_id',
      'OS-EXT-SRV-ATTR:root_device_name',
      'OS-EXT-SRV-ATTR:user_data',
    ),
    reshaped('server', volumesById),
  ],
});

/** Volumes as mere ids. */
function volumesById(server: View): View {
  const volumes = (server['os-extended-volumes:volumes_attached'] ?? []) as { id: string }[];
  server['os-extended-volumes:volumes_attached'] = volumes.map(({ id }) => ({ id }));
  return server;
}
