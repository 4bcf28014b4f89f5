import { CreateServerDto } from '../../src/api/servers/create-server.dto';
import { withContract } from './contract';
import { describeConformance } from './request-conformance';

withContract('the body of POST /servers', () => {
  describeConformance('POST /servers', CreateServerDto, 'request_body', {
    base: { server: { name: 'a', flavorRef: '1', networks: [] } },
    runs: 150,
  });
});
