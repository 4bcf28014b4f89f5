import {
  STANDARD_RESOURCE_CLASSES,
  customResourceClass,
  isCustomResourceClass,
  isStandardResourceClass,
  standardResourceClassId,
} from './index';

describe('resource classes', () => {
  it('keep the ids that databases and clients rely on', () => {
    expect(standardResourceClassId('VCPU')).toBe(0);
    expect(standardResourceClassId('MEMORY_MB')).toBe(1);
    expect(standardResourceClassId('DISK_GB')).toBe(2);
    expect(standardResourceClassId('PCPU')).toBe(14);
    expect(standardResourceClassId('CUSTOM_IRON')).toBeUndefined();
    expect(new Set(STANDARD_RESOURCE_CLASSES).size).toBe(STANDARD_RESOURCE_CLASSES.length);
  });

  it('tell standard from custom', () => {
    expect(isStandardResourceClass('VGPU')).toBe(true);
    expect(isStandardResourceClass('CUSTOM_VGPU')).toBe(false);
    expect(isCustomResourceClass('CUSTOM_VGPU')).toBe(true);
    expect(isCustomResourceClass('VGPU')).toBe(false);
    expect(customResourceClass('baremetal.gold')).toBe('CUSTOM_BAREMETAL_GOLD');
  });
});
