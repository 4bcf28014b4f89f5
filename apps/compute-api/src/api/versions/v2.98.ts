import { defineVersion, reshaped, type View } from '@fractus/microversions';

export const v2_98 = defineVersion({
  version: '2.98',
  summary: 'A server shows the properties of its image.',
  responses: [reshaped('server', withoutImageProperties), reshaped('updated-server', withoutImageProperties)],
});

function withoutImageProperties(server: View): View {
  if (typeof server['image'] !== 'object' || server['image'] === null) return server;
  const { properties: _, ...image } = server['image'] as View;
  return { ...server, image };
}
