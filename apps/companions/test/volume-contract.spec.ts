import { eachDatabaseUrl } from '@fractus/database/testing';
import { VOLUME_CONTRACT } from '@fractus/clients';
import { CloudRig } from './cloud-rig';

eachDatabaseUrl('the volume companion keeps the contract of its client', (newUrl) => {
  let cloud: CloudRig;
  let imageId: string;
  beforeAll(async () => {
    cloud = await CloudRig.start(newUrl);
    const { body } = await cloud.onImage<{ images: { id: string }[] }>('GET', '/images?name=cirros-sim');
    imageId = body.images[0]!.id;
    const volume_type = { name: 'shared', extra_specs: { multiattach: '<is> True' } };
    await cloud.onVolume('POST', '/types', { volume_type }, { token: cloud.admin });
  });
  afterAll(() => cloud.close());

  it.each(VOLUME_CONTRACT.map((c) => [c.name, c] as const))('%s', async (_name, contractCase) => {
    await contractCase.run({
      volumes: cloud.volumes,
      tokens: cloud.tokens,
      userToken: () => cloud.rig.token('demo', 'demo'),
      imageId,
      multiattachType: 'shared',
    });
  });
});
