import fc from 'fast-check';
import { buildResourceRequest, emptyGroup, prepare, type ScheduleRequest } from '../src';
import { aFlavor, anImage, aRequest, someFacts, withSpecs } from './fixtures';

const build = (over: Partial<ScheduleRequest>) => {
  const built = buildResourceRequest(aRequest(over));
  if (!built.ok) throw new Error(built.reason.sentence);
  return built.query;
};
const resources = (over: Partial<ScheduleRequest>) => build(over).groups.find((g) => g.suffix === '')?.resources ?? {};

const REAL_TIME = { 'hw:cpu_realtime': 'yes', 'hw:cpu_realtime_mask': '^0' };

describe('the resource request', () => {
  it('asks for the flavor', () => {
    expect(build({}).groups).toEqual([{ ...emptyGroup(''), resources: { VCPU: 1, MEMORY_MB: 2048, DISK_GB: 20 } }]);
  });

  it('sums local disks, rounds swap up, leaves the root out for a volume and nothing at all in', () => {
    const flavor = aFlavor({ ephemeralGb: 5, swapMb: 1025 });
    expect(resources({ flavor })['DISK_GB']).toBe(27);
    expect(resources({ flavor, bootFromVolume: true })['DISK_GB']).toBe(7);
    expect(resources({ bootFromVolume: true })).not.toHaveProperty('DISK_GB');
  });

  it('lets extra specs override, and zero opt out', () => {
    const specs = {
      'resources:VCPU': '0',
      'resources:MEMORY_MB': '0',
      'resources:DISK_GB': '0',
      'resources:CUSTOM_GOLD': '1',
    };
    expect(resources(withSpecs(specs))).toEqual({ CUSTOM_GOLD: 1 });
  });

  it('groups by suffix, with traits and policy', () => {
    const { groups, groupPolicy } = build(
      withSpecs({
        'resources1:VGPU': '1',
        'trait1:CUSTOM_NV': 'required',
        'resources_B:FPGA': '2',
        'trait:HW_CPU_X86_AVX2': 'forbidden',
        group_policy: 'isolate',
      }),
    );
    expect(groupPolicy).toBe('isolate');
    expect(groups.find((g) => g.suffix === '1')).toMatchObject({ resources: { VGPU: 1 }, required: ['CUSTOM_NV'] });
    expect(groups.find((g) => g.suffix === '_B')).toMatchObject({ resources: { FPGA: 2 } });
    expect(groups.find((g) => g.suffix === '')).toMatchObject({ forbidden: ['HW_CPU_X86_AVX2'] });
  });

  it('defaults the policy to none only when the groups are not the flavor’s own', () => {
    const extraGroups = ['p1', 'p2'].map((s) => ({ ...emptyGroup(s), resources: { CUSTOM_BW: 1 } }));
    expect(build({ extraGroups }).groupPolicy).toBe('none');
    expect(build(withSpecs({ 'resources1:VGPU': '1', 'resources2:VGPU': '1' })).groupPolicy).toBeUndefined();
  });

  it('carries groups of ports that must be met in one subtree into the query', () => {
    const extraGroups = ['net', 'pps'].map((s) => ({ ...emptyGroup(s), resources: { CUSTOM_BW: 1 } }));
    const prepared = prepare(aRequest({ extraGroups, sameSubtree: [['net', 'pps']] }), someFacts());
    expect(prepared).toMatchObject({ ok: true, query: { sameSubtree: [['net', 'pps']], groupPolicy: 'none' } });
  });

  it('turns pinning into PCPU', () => {
    expect(resources({ flavor: aFlavor({ vcpus: 4, extraSpecs: { 'hw:cpu_policy': 'dedicated' } }) })).toMatchObject({
      PCPU: 4,
    });
    const mixed = {
      'hw:cpu_policy': 'mixed',
      'hw:cpu_dedicated_mask': '0-2,^1',
      'hw:emulator_threads_policy': 'isolate',
    };
    expect(resources({ flavor: aFlavor({ vcpus: 4, extraSpecs: mixed }) })).toMatchObject({ VCPU: 2, PCPU: 3 });
  });

  it.each([
    ['the mask of the flavor', { 'hw:cpu_dedicated_mask': '^0' }, {}, { VCPU: 1, PCPU: 3 }],
    ['exclusions wherever they stand', { 'hw:cpu_dedicated_mask': '0-1,^1,1-2' }, {}, { VCPU: 2, PCPU: 2 }],
    ['no mask without real time', { 'hw:cpu_realtime_mask': '^0' }, {}, { VCPU: 4 }],
    ['the image before the flavor', REAL_TIME, { hw_cpu_realtime_mask: '^0-1' }, { VCPU: 2, PCPU: 2 }],
    ['else the flavor', REAL_TIME, {}, { VCPU: 1, PCPU: 3 }],
  ])('counts dedicated processors of a mixed server by %s', (_what, specs, image, want) => {
    const flavor = aFlavor({ vcpus: 4, extraSpecs: { 'hw:cpu_policy': 'mixed', ...specs } });
    const { VCPU, PCPU } = resources({ flavor, image: anImage(image) });
    expect({ ...(VCPU && { VCPU }), ...(PCPU && { PCPU }) }).toEqual(want);
  });

  it('asks for hyperthreads as flavor or image say, and for shared processors when it is the last resort', () => {
    const threads = (flavor: string | undefined, image: string | undefined) => {
      const specs = { 'hw:cpu_policy': 'dedicated', ...(flavor && { 'hw:cpu_thread_policy': flavor }) };
      const group = build({
        ...withSpecs(specs),
        image: anImage(image ? { hw_cpu_thread_policy: image } : {}),
      }).groups[0];
      return [group?.required, group?.forbidden];
    };
    expect(threads('isolate', undefined)).toEqual([[], ['HW_CPU_HYPERTHREADING']]);
    expect(threads('prefer', 'require')).toEqual([[], []]);
    expect(threads(undefined, 'require')).toEqual([['HW_CPU_HYPERTHREADING'], []]);
    expect(threads(undefined, 'isolate')).toEqual([[], ['HW_CPU_HYPERTHREADING']]);
    expect(threads('prefer', undefined)).toEqual([[], []]);
    const specs = { 'hw:cpu_policy': 'dedicated', 'hw:cpu_thread_policy': 'require' };
    const shared = build({ ...withSpecs(specs), sharedProcessors: true }).groups;
    expect(shared).toEqual([{ ...emptyGroup(''), resources: { VCPU: 1, MEMORY_MB: 2048, DISK_GB: 20 } }]);
  });

  it('counts once what is named twice', () => {
    const specs = { 'hw:mem_encryption': 'true', 'resources:MEM_ENCRYPTION_CONTEXT': '1', 'hw:pmem': '4GB, 4GB,16-gb' };
    const image = anImage({ hw_mem_encryption_model: 'amd-sev-snp' });
    const [group] = build({ ...withSpecs(specs), image }).groups;
    expect(group?.resources).toMatchObject({
      MEM_ENCRYPTION_CONTEXT: 1,
      CUSTOM_PMEM_NAMESPACE_4GB: 2,
      CUSTOM_PMEM_NAMESPACE_16_GB: 1,
    });
    expect(group?.required).toEqual(['HW_CPU_X86_AMD_SEV_SNP']);
  });

  it('wants stateless firmware of UEFI only, and address spaces by their mode', () => {
    expect(build({ image: anImage({ hw_firmware_stateless: 'true' }) }).groups[0]?.required).toEqual([]);
    for (const [mode, trait] of [
      ['passthrough', 'COMPUTE_ADDRESS_SPACE_PASSTHROUGH'],
      ['emulate', 'COMPUTE_ADDRESS_SPACE_EMULATED'],
    ] as const)
      expect(build(withSpecs({ 'hw:maxphysaddr_mode': mode })).groups[0]?.required).toEqual([trait]);
  });

  it('leaves DISK_GB out for a flavor that forbids local disks', () => {
    expect(resources(withSpecs({ 'fractus:local_disk': 'forbidden' }))).not.toHaveProperty('DISK_GB');
    expect(resources(withSpecs({ 'fractus:local_disk': 'allowed' }))['DISK_GB']).toBe(20);
  });

  it('turns features into traits', () => {
    const specs = {
      'hw:tpm_version': '2.0',
      'hw:tpm_model': 'tpm-crb',
      'os:secure_boot': 'required',
      'hw:mem_encryption': 'yes',
    };
    const [group] = build({
      ...withSpecs(specs),
      image: anImage({ 'trait:CUSTOM_X': 'required', hw_firmware_stateless: 'true', hw_firmware_type: 'uefi' }),
    }).groups;
    expect(group?.required.sort()).toEqual([
      'COMPUTE_SECURITY_STATELESS_FIRMWARE',
      'COMPUTE_SECURITY_TPM_2_0',
      'COMPUTE_SECURITY_TPM_CRB',
      'COMPUTE_SECURITY_UEFI_SECURE_BOOT',
      'CUSTOM_X',
      'HW_CPU_X86_AMD_SEV',
    ]);
    expect(group?.resources).toMatchObject({ MEM_ENCRYPTION_CONTEXT: 1 });
  });

  it('refuses what it cannot read, with the key', () => {
    const amount = buildResourceRequest(aRequest(withSpecs({ 'resources:VCPU': 'two' })));
    expect(amount).toMatchObject({ ok: false, reason: { code: 'flavor.resource_amount', have: 'two' } });
    const trait = buildResourceRequest(aRequest(withSpecs({ 'trait:CUSTOM_X': 'wanted' })));
    expect(trait).toMatchObject({ ok: false, reason: { code: 'flavor.trait_value' } });
  });

  it('never asks for zero or for an empty group', () => {
    const amount = fc.integer({ min: 0, max: 4 }).map(String);
    const specs = fc.dictionary(
      fc.constantFrom('resources:VCPU', 'resources1:VGPU', 'resources2:FPGA', 'resources:MEMORY_MB'),
      amount,
    );
    fc.assert(
      fc.property(specs, fc.boolean(), fc.nat(4), (extraSpecs, bootFromVolume, rootGb) => {
        const { groups } = build({ flavor: aFlavor({ extraSpecs, rootGb }), bootFromVolume });
        for (const group of groups) {
          expect(Object.values(group.resources).every((n) => n > 0)).toBe(true);
          expect(Object.keys(group.resources).length + group.required.length + group.forbidden.length).toBeGreaterThan(
            0,
          );
        }
      }),
    );
  });
});
