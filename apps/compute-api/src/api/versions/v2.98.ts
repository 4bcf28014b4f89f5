import { defineVersion, reshaped, type View } from '@fractus/microversions';

export const v2_98 = defineVersion({
  version: '2.98',
  summary: 'A server shows the properties of its image.',
  responses: [reshaped('server', withoutImageProperties), reshaped('updated-server', withoutImageProperties)],
});

function withoutImageProperties(server: View): View {
  const image = server['image'];
  // servers of a page may share it
  if (typeof image === 'object' && image !== null) server['image'] = { ...image, properties: undefined };
  return server;
}
