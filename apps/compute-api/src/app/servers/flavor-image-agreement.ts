/**
 * What flavor and image both say of a server (`hw:name`, `hw_name`) must agree: upstream nova/virt/hardware.py. Upstream
 * finds some of this out at create and some while scheduling; here all of it is told at create, in its sentences.
 */
import { invalid } from '@fractus/objects';
import type { FlavorSnapshot, ImageSnapshot } from '@fractus/rpc-contracts';

interface Said {
  readonly flavor: string | undefined;
  readonly image: string | undefined;
}
type Disagreement = (said: Said, flavor: FlavorSnapshot, image: ImageSnapshot, key: string) => string | undefined;

const isTrue = (text: string | undefined): boolean => /^\s*(1|t|true|on|y|yes)\s*$/i.test(text ?? '');

const explicit: Disagreement = (said, flavor, image, key) => {
  const [prefix = '', name = ''] = key.split(':');
  return (
    `Flavor ${flavor.name} has ${key} extra spec explicitly set to ${said.flavor}, conflicting with image ` +
    `${image.name ?? image.imageId} which has ${prefix}_${name} explicitly set to ${said.image}.`
  );
};
const sameText: Disagreement = (said, ...rest) => (said.flavor === said.image ? undefined : explicit(said, ...rest));
const sameTruth: Disagreement = (said, ...rest) =>
  isTrue(said.flavor) === isTrue(said.image) ? undefined : explicit(said, ...rest);

/** A flavor that shares, or shares some, cannot be made to pin by its users. */
const cpuPolicy: Disagreement = ({ flavor, image }) =>
  (flavor === 'mixed' && image === 'dedicated') || (flavor === 'shared' && (image === 'mixed' || image === 'dedicated'))
    ? "Image property 'hw_cpu_policy' is not permitted to override CPU pinning policy set against the flavor"
    : undefined;
const threadPolicy: Disagreement = ({ flavor, image }) =>
  flavor !== 'prefer' && flavor !== image
    ? "Image property 'hw_cpu_thread_policy' is not permitted to override CPU thread pinning policy set against the flavor"
    : undefined;
const pciPolicy: Disagreement = ({ flavor, image }) =>
  flavor !== image
    ? "Image property 'hw_pci_numa_affinity_policy' is not permitted to override the 'hw:pci_numa_affinity_policy' flavor extra spec."
    : undefined;

/** Extra spec → what is wrong when both say something. */
const RULES: Readonly<Record<string, Disagreement>> = {
  'hw:cpu_policy': cpuPolicy,
  'hw:cpu_thread_policy': threadPolicy,
  'hw:pci_numa_affinity_policy': pciPolicy,
  'hw:mem_encryption': sameTruth,
  'hw:mem_encryption_model': sameText,
  'hw:ephemeral_encryption': sameTruth,
  'hw:ephemeral_encryption_format': sameText,
  'hw:virtio_packed_ring': sameTruth,
  'hw:tpm_version': sameText,
  'hw:tpm_model': sameText,
  'hw:sound_model': sameText,
  'hw:maxphysaddr_mode': sameText,
  'os:secure_boot': sameText,
};

/** Throws `invalid` (`flavor.image_conflict`) for the first thing that flavor and image disagree on. */
export function checkAgreement(flavor: FlavorSnapshot, image: ImageSnapshot): void {
  for (const [key, disagreement] of Object.entries(RULES)) {
    const said = { flavor: flavor.extraSpecs[key], image: image.properties[key.replace(':', '_')] };
    if (said.flavor === undefined || said.image === undefined) continue;
    const sentence = disagreement(said, flavor, image, key);
    if (sentence !== undefined)
      throw invalid(sentence, {
        code: 'flavor.image_conflict',
        details: { spec: key, have: said.image, need: said.flavor },
      });
  }
}
