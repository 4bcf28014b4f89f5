import { roomOf, shareTraits, traitOf } from './index';

const inventory = { total: 10, reserved: 1, allocationRatio: 1.5, minUnit: 1, maxUnit: 10, stepSize: 1 };

describe('room', () => {
  it('is what is left of the capacity, in whole units', () => {
    expect(roomOf(inventory, 4)).toMatchObject({ ratio: 1.5, used: 4, free: 9 });
    expect(roomOf(inventory, 20).free).toBe(-7);
  });
});

describe('traits', () => {
  it('are owned as reported, external else, and unset where Placement has not heard of them', () => {
    const reported = ['HW_CPU_X86_VMX', 'COMPUTE_NODE'];
    expect(shareTraits(reported, ['CUSTOM_GOLD', 'COMPUTE_NODE', 'COMPUTE_VOLUME_EXTEND'])).toEqual({
      owned: ['COMPUTE_NODE', 'HW_CPU_X86_VMX'],
      external: ['CUSTOM_GOLD'],
      unset: ['HW_CPU_X86_VMX'],
    });
    expect(shareTraits(reported, null)).toMatchObject({ external: null, unset: null });
  });

  it('tell of capabilities', () => {
    expect(traitOf('supports_multiattach')).toBe('COMPUTE_VOLUME_MULTI_ATTACH');
    expect(traitOf('supports_evacuate')).toBeUndefined();
  });
});
