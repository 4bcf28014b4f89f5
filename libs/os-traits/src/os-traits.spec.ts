import { STANDARD_TRAITS, customTrait, isCustomTrait, isStandardTrait } from './index';

describe('standard traits', () => {
  it('are unique, in capitals, and never custom', () => {
    expect(new Set(STANDARD_TRAITS).size).toBe(STANDARD_TRAITS.length);
    for (const name of STANDARD_TRAITS) {
      expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/);
      expect(isCustomTrait(name)).toBe(false);
      expect(isStandardTrait(name)).toBe(true);
    }
  });

  it('come from the namespaces the files are named after', () => {
    expect(new Set(STANDARD_TRAITS.map((t) => t.split('_')[0]))).toEqual(
      new Set(['COMPUTE', 'HW', 'MISC', 'OWNER', 'STORAGE']),
    );
  });
});

describe('custom traits', () => {
  it('take capitals, digits and underscores after the prefix, up to 255 characters', () => {
    expect(isCustomTrait('CUSTOM_GOLD_1')).toBe(true);
    expect(isCustomTrait('CUSTOM_')).toBe(false);
    expect(isCustomTrait('CUSTOM_gold')).toBe(false);
    expect(isCustomTrait(`CUSTOM_${'A'.repeat(248)}`)).toBe(true);
    expect(isCustomTrait(`CUSTOM_${'A'.repeat(249)}`)).toBe(false);
  });

  it('are made from free text', () => {
    expect(customTrait('physnet-1.a')).toBe('CUSTOM_PHYSNET_1_A');
  });
});
