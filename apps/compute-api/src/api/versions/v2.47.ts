import { defineVersion, removed, reshaped, type View } from '@fractus/microversions';

export const v2_47 = defineVersion({
  version: '2.47',
  summary: 'A server carries its flavor, not a link to it.',
  responses: [
    reshaped('server', linkOfFlavor),
    removed('server', 'flavor_link'),
    reshaped('updated-server', linkOfFlavor),
    removed('updated-server', 'flavor_link'),
  ],
});

function linkOfFlavor(server: View): View {
  server['flavor'] = server['flavor_link'];
  server['flavor_link'] = undefined;
  return server;
}
