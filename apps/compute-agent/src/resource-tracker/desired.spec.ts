import fc from 'fast-check';
import { driverCapabilities } from '@fractus/hypervisors-capabilities';
import type { ProviderRecord } from '@fractus/rpc-contracts';
import type { DriverInventories } from '@fractus/virt';
import { desiredTraits, fingerprint, mergeInventories, mergeTraits, planUpdate, STATUS_DISABLED } from './desired';

const traitsOf = (overrides: Partial<Parameters<typeof desiredTraits>[0]> = {}) =>
  desiredTraits({
    capabilities: driverCapabilities('supports_image_type_raw', 'supports_image_type_vmdk'),
    driver: {
      present: ['HW_CPU_X86_AVX2', 'COMPUTE_NO_SUCH_TRAIT', 'CUSTOM_OF_DRIVER'],
      owned: ['HW_CPU_X86_AVX2', 'HW_CPU_X86_AVX', 'CUSTOM_OF_DRIVER'],
    },
    disabled: false,
    excludeImageTypes: [],
    ...overrides,
  });
const vcpu = { total: 8, reserved: 0, minUnit: 1, maxUnit: 8, stepSize: 1 };
const driver: DriverInventories = { VCPU: { ...vcpu, initialRatio: 4 } };
const record = (overrides: Partial<ProviderRecord> = {}): ProviderRecord => ({
  providerId: 'p',
  name: 'n',
  generation: 3,
  parentId: null,
  rootId: 'p',
  inventories: {},
  usages: {},
  traits: [],
  aggregates: [],
  ...overrides,
});

describe('desired traits', () => {
  it('drop names that nobody knows, mask excluded image types, and mark a disabled host', () => {
    expect(traitsOf({ excludeImageTypes: ['vmdk'] }).present).toEqual([
      'COMPUTE_IMAGE_TYPE_RAW',
      'COMPUTE_NODE',
      'CUSTOM_OF_DRIVER',
      'HW_CPU_X86_AVX2',
      'OWNER_NOVA',
    ]);
    expect(traitsOf({ disabled: true }).present).toContain(STATUS_DISABLED);
  });

  it('never remove what is not owned, always end with what is desired, and are stable', () => {
    const names = fc.array(
      fc.constantFrom(
        'CUSTOM_A',
        'CUSTOM_OF_DRIVER',
        'HW_CPU_X86_AVX',
        'HW_CPU_X86_AVX2',
        'STORAGE_DISK_SSD',
        'COMPUTE_NODE',
        STATUS_DISABLED,
        'COMPUTE_VOLUME_MULTI_ATTACH',
      ),
    );
    fc.assert(
      fc.property(names, fc.boolean(), (current, disabled) => {
        const desired = traitsOf({ disabled });
        const merged = mergeTraits(current, desired);
        expect(merged).toEqual(expect.arrayContaining([...desired.present]));
        expect(merged.filter((t) => !desired.owned.has(t))).toEqual(
          [...new Set(current)].filter((t) => !desired.owned.has(t)).sort(),
        );
        expect(mergeTraits(merged, desired)).toEqual(merged);
      }),
    );
  });
});

describe('desired inventories', () => {
  it('take the ratio from the configuration, else from placement, else from the driver', () => {
    const there = { VCPU: { ...vcpu, allocationRatio: 9 } };
    expect(mergeInventories(there, driver, { VCPU: 2 })['VCPU']?.allocationRatio).toBe(2);
    expect(mergeInventories(there, driver, {})['VCPU']?.allocationRatio).toBe(9);
    expect(mergeInventories({}, driver, {})['VCPU']?.allocationRatio).toBe(4);
  });

  it('keep custom classes of others and give up standard ones that the driver no longer has', () => {
    const other = { ...vcpu, allocationRatio: 1 };
    expect(Object.keys(mergeInventories({ CUSTOM_X: other, DISK_GB: other }, driver, {})).sort()).toEqual([
      'CUSTOM_X',
      'VCPU',
    ]);
  });
});

describe('planUpdate', () => {
  const desired = { inventories: driver, traits: traitsOf() };

  it('plans nothing once what it planned is there', () => {
    const first = planUpdate(record(), desired, {});
    expect(first).toMatchObject({ providerId: 'p', generation: 3, traits: [...desired.traits.present] });
    expect(planUpdate(record({ inventories: first!.inventories!, traits: first!.traits! }), desired, {})).toBeNull();
  });

  it('sends only the half that differs', () => {
    const there = planUpdate(record(), desired, {})!;
    expect(planUpdate(record({ inventories: there.inventories!, traits: [] }), desired, {})).not.toHaveProperty(
      'inventories',
    );
    expect(planUpdate(record({ inventories: {}, traits: there.traits! }), desired, {})).not.toHaveProperty('traits');
  });

  it('has a fingerprint that changes with what is desired', () => {
    expect(fingerprint(desired)).toBe(fingerprint({ inventories: { ...driver }, traits: traitsOf() }));
    expect(fingerprint({ ...desired, inventories: { VCPU: { ...vcpu, total: 9, initialRatio: 4 } } })).not.toBe(
      fingerprint(desired),
    );
  });
});
