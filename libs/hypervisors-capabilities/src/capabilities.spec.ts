import { CAPABILITIES, CAPABILITY_TRAITS, capabilityTraits, driverCapabilities } from './capabilities';

describe('driver capabilities', () => {
  it('state every flag, those not named as false', () => {
    const flags = driverCapabilities('supports_multiattach');
    expect(Object.keys(flags).sort()).toEqual([...CAPABILITIES].sort());
    expect(Object.entries(flags).filter(([, v]) => v)).toEqual([['supports_multiattach', true]]);
  });

  it('split the traits they own into present and absent', () => {
    const { present, absent } = capabilityTraits(driverCapabilities('supports_multiattach', 'supports_evacuate'));
    expect(present).toEqual(['COMPUTE_VOLUME_MULTI_ATTACH']);
    expect([...present, ...absent].sort()).toEqual(Object.values(CAPABILITY_TRAITS).sort());
  });

  it('mask image types that the operator excludes, and nothing else', () => {
    const flags = driverCapabilities('supports_image_type_raw', 'supports_image_type_vmdk', 'supports_bfv_rescue');
    expect(capabilityTraits(flags, ['VMDK']).present).toEqual(['COMPUTE_IMAGE_TYPE_RAW', 'COMPUTE_RESCUE_BFV']);
  });

  it('map each flag to a trait of its own', () => {
    expect(new Set(Object.values(CAPABILITY_TRAITS)).size).toBe(Object.keys(CAPABILITY_TRAITS).length);
  });
});
