import { added, defineVersion, lift } from '@fractus/microversions';
import { CreateServerDto } from '../servers/create-server.dto';

export const v2_19 = defineVersion({
  version: '2.19',
  summary: 'A server has a description.',
  responses: [added('server', 'description'), added('updated-server', 'description')],
  // before, a server was described by its name
  requests: [
    lift(CreateServerDto, ({ server, ...body }) => ({ ...body, server: { ...server, description: server.name } })),
  ],
});
