import { isFractusError } from '@fractus/objects';
import { checkAgreement } from '../../src/app/servers/flavor-image-agreement';
import { IMAGE, ServersWorld } from './servers-world';

const disks = { vcpus: 1, memoryMb: 64, rootGb: 1, ephemeralGb: 0, swapMb: 0 };
function conflict(extraSpecs: Record<string, string>, properties: Record<string, string>): string | undefined {
  try {
    checkAgreement({ flavorId: '1', name: 'm1', ...disks, extraSpecs }, { imageId: 'i', name: 'img', properties });
    return undefined;
  } catch (e) {
    if (!isFractusError(e, 'invalid') || e.code !== 'flavor.image_conflict') throw e;
    return e.message;
  }
}

describe('flavor and image', () => {
  it.each([
    ['hw:cpu_policy', 'shared', 'dedicated', true],
    ['hw:cpu_policy', 'mixed', 'dedicated', true],
    ['hw:cpu_policy', 'dedicated', 'shared', false],
    ['hw:cpu_thread_policy', 'isolate', 'require', true],
    ['hw:cpu_thread_policy', 'prefer', 'require', false],
    ['hw:pci_numa_affinity_policy', 'socket', 'legacy', true],
    ['hw:mem_encryption', 'true', 'no', true],
    ['hw:mem_encryption', 'true', '1', false],
    ['hw:tpm_version', '1.2', '2.0', true],
    ['hw:tpm_version', '2.0', '2.0', false],
    ['os:secure_boot', 'required', 'disabled', true],
  ])('%s=%s and %s: conflict %s', (key, ofFlavor, ofImage, conflicts) => {
    const property = key.replace(':', '_');
    const sentence = conflict({ [key]: ofFlavor }, { [property]: ofImage });
    expect(sentence !== undefined).toBe(conflicts);
    if (sentence !== undefined) expect(sentence).toContain(property);
    // one of them may say what it likes
    expect(conflict({ [key]: ofFlavor }, {})).toBeUndefined();
    expect(conflict({}, { [property]: ofImage })).toBeUndefined();
  });

  it('are held against each other at create', async () => {
    const world = await ServersWorld.start();
    try {
      const specs = { extra_specs: { 'hw:tpm_version': '1.2' } };
      expect((await world.api.post('/v2.1/flavors/1/os-extra_specs', specs)).status).toBe(200);
      world.neighbours.imageProperties = { hw_tpm_version: '2.0' };
      const { status, body } = await world.create({ imageRef: IMAGE });
      expect([status, body.badRequest.fractus.code]).toEqual([400, 'flavor.image_conflict']);
      world.neighbours.imageProperties = { hw_tpm_version: '1.2' };
      expect((await world.create({ imageRef: IMAGE })).status).toBe(202);
    } finally {
      await world.close();
    }
  });
});
