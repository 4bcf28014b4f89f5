import { eachDatabaseUrl } from '@fractus/database/testing';
import { CLIENT_CONTRACT } from '@fractus/clients';
import { CloudRig } from './cloud-rig';

eachDatabaseUrl('the companions keep the contract of the clients', (newUrl) => {
  let cloud: CloudRig;
  beforeAll(async () => {
    cloud = await CloudRig.start(newUrl);
  });
  afterAll(() => cloud.close());

  it.each(CLIENT_CONTRACT.map((c) => [c.name, c] as const))('%s', async (_name, contractCase) => {
    await contractCase.run({
      session: cloud.session,
      tokens: cloud.tokens,
      images: cloud.images,
      networks: cloud.networks,
      userToken: () => cloud.rig.token('demo', 'demo'),
      revoke: async (token) => {
        await cloud.rig.call('DELETE', '/auth/tokens', token, undefined, { 'x-subject-token': token });
      },
      networkName: 'private',
    });
  });
});
