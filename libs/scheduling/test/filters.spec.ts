import { DEFAULT_OPTIONS, enabledFilters, FILTERS } from '../src';
import { FILTER_EXAMPLES, type FilterExample, optionsOf } from './filter-examples';
import { anAggregate, anImage, aHost, aRequest, withSpecs } from './fixtures';

const EXAMPLES = FILTERS.flatMap((filter) =>
  Object.entries<FilterExample>(FILTER_EXAMPLES[filter.name]).map(([code, example]) => ({ filter, code, example })),
);
const run = (name: string, host: Parameters<typeof aHost>[0], request: Parameters<typeof aRequest>[0], options = {}) =>
  FILTERS.find((f) => f.name === name)!.verdict(aHost(host), aRequest(request), { ...DEFAULT_OPTIONS, ...options });

describe('filters', () => {
  it.each(EXAMPLES)('$filter.name rejects with $code and says why', ({ filter, code, example }) => {
    const verdict = filter.verdict(aHost(example.host), aRequest(example.request), optionsOf(example));
    expect(verdict).toMatchObject({ pass: false, code, sentence: expect.stringMatching(/^\S.*\.$/) as string });
    if (verdict.pass) return;
    expect(verdict.have).toBeDefined();
    expect(verdict.need).toBeDefined();
    expect(verdict.sentence).not.toMatch(/undefined|null|NaN|\[object/);
    expect(JSON.parse(JSON.stringify(verdict))).toEqual(verdict);
  });

  it.each(FILTERS.map((filter) => ({ filter })))('$filter.name lets a fitting host pass', ({ filter }) => {
    expect(filter.verdict(aHost(), aRequest(), DEFAULT_OPTIONS)).toEqual({ pass: true });
  });

  it('have an example for each code and words without a host name', () => {
    for (const { name, codes } of FILTERS) {
      expect(Object.keys(FILTER_EXAMPLES[name]).sort()).toEqual(Object.keys(codes).sort());
      for (const words of Object.values<string>(codes)) expect(words).not.toMatch(/c1|\.$/);
    }
  });

  it('run those that must, and refuse a name that does not exist', () => {
    expect(enabledFilters([]).map((f) => f.name)).toEqual([
      'RequestedDestination',
      'ExcludedHosts',
      'AvailabilityZone',
    ]);
    expect(() => enabledFilters(['RamFilter'])).toThrow('unknown filter RamFilter');
  });

  it('read capabilities the way operators wrote them', () => {
    const passes = (specs: Record<string, string>) => run('ComputeCapabilitiesFilter', {}, withSpecs(specs)).pass;
    expect(passes({ 'capabilities:cpu_info:features': '<in> avx2' })).toBe(true);
    expect(passes({ 'capabilities:cpu_info:features': '<all-in> aes avx512' })).toBe(false);
    expect(passes({ 'capabilities:hypervisor_type': 's== QEMU' })).toBe(true);
    expect(passes({ 'capabilities:hypervisor_version': '8002001' })).toBe(true);
    expect(passes({ hypervisor_type: 'Xen' })).toBe(false);
    expect(passes({ quota: 'something' })).toBe(true); // unscoped, and no host has it
    expect(passes({ 'hw:cpu_policy': 'dedicated' })).toBe(true);
    expect(passes({ 'capabilities:supports_multiattach': 'False' })).toBe(true);
    expect(passes({ supports_multiattach: 'True' })).toBe(false);
    expect(passes({ 'hw:maxphysaddr_bits': '42' })).toBe(false);
    expect(passes({ 'capabilities:__proto__': 'x' })).toBe(false);
  });

  it('bring names in images to their canonical form', () => {
    const passes = (p: Record<string, string>) => run('ImagePropertiesFilter', {}, { image: anImage(p) }).pass;
    expect(passes({ architecture: 'AMD64', hypervisor_type: 'KVM', vm_mode: 'hv' })).toBe(true);
    expect(passes({ hw_architecture: 'x86_64', img_hv_type: 'xen' })).toBe(false);
    expect(passes({ img_hv_type: 'kvm', hypervisor_version_requires: '>=8.2,<9' })).toBe(true);
    expect(passes({ img_hv_type: 'kvm', hypervisor_version_requires: '!=8.2.1' })).toBe(false);
  });

  it('let a server stay among the members of its group', () => {
    const serverGroup = {
      groupId: 'g',
      policy: 'anti-affinity' as const,
      maxServerPerHost: 1,
      membersByHost: { c1: 1 },
    };
    expect(run('ServerGroupAntiAffinityFilter', {}, { serverGroup }).pass).toBe(false);
    expect(run('ServerGroupAntiAffinityFilter', {}, { serverGroup, currentHost: 'c1' }).pass).toBe(true);
  });

  it('take the least of several aggregates, and the option where a value is no number', () => {
    const two = [anAggregate({ max_instances_per_host: '5' }), anAggregate({ max_instances_per_host: '3' }, 'b')];
    expect(run('AggregateNumInstancesFilter', { aggregates: two, runningGuests: 4 }, {}).pass).toBe(false);
    for (const value of ['many', '2.5', '', '0x2']) {
      const bad = [anAggregate({ max_instances_per_host: value })];
      expect(run('AggregateNumInstancesFilter', { aggregates: bad, runningGuests: 4 }, {}).pass).toBe(true);
    }
  });
});
