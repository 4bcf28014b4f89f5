import fc from 'fast-check';
import { DEFAULT_OPTIONS, FILTERS, prepare, REQUEST_FILTERS } from '../src';
import { aFlavor, anAggregate, anImage, aHost, aRequest, someFacts } from './fixtures';

/** Keys that mean something beside keys that mean nothing, with any text for a value. */
const keys = (...known: string[]) => fc.oneof(fc.constantFrom(...known), fc.string(), fc.constant('__proto__'));
const words = fc.oneof(
  fc.constantFrom(
    '<or>',
    '99999999999999999999',
    '7',
    '<in> a',
    '<all-in>',
    '= x',
    '>= 1',
    's== a',
    'required',
    'forbidden',
    '-1',
    '1e999',
    '^',
    '0-',
  ),
  fc.string(),
);
const dictionary = (key: fc.Arbitrary<string>) => fc.dictionary(key, words, { maxKeys: 5 });

const request = fc
  .record({
    extraSpecs: dictionary(
      keys(
        'capabilities:cpu_info',
        'capabilities:',
        'resources:VCPU',
        'resources_A:X',
        'trait:CUSTOM_X',
        'hw:cpu_policy',
      ),
    ),
    properties: dictionary(
      keys('hw_architecture', 'img_hv_requested_version', 'hw_maxphysaddr_bits', 'trait:X', 'os_distro'),
    ),
    hints: fc.dictionary(keys('same_host', 'different_host', 'build_near_host_ip', 'cidr', 'group'), fc.array(words)),
    vcpus: fc.nat(8),
  })
  .map(({ extraSpecs, properties, hints, vcpus }) =>
    aRequest({ flavor: aFlavor({ extraSpecs, vcpus }), image: anImage(properties), schedulerHints: hints }),
  );
const metadata = dictionary(
  keys('max_instances_per_host', 'max_io_ops_per_host', 'filter_tenant_id', 'instance_type', 'os_distro', 'trait:X'),
);
const aggregates = fc.array(metadata, { maxLength: 3 }).map((all) => all.map((m, i) => anAggregate(m, `agg-${i}`)));
const options = fc.record({ on: fc.boolean(), namespace: fc.string() }).map(({ on, namespace }) => ({
  ...DEFAULT_OPTIONS,
  limitTenantsToPlacementAggregate: on,
  placementAggregateRequiredForTenants: on,
  queryPlacementForImageTypeSupport: on,
  enableIsolatedAggregateFiltering: on,
  imageMetadataPrefilter: on,
  queryPlacementForRoutedNetworkAggregates: on,
  aggregateImagePropertiesIsolationNamespace: namespace,
}));

describe('whatever users and operators write', () => {
  it('every filter answers, and says why not in a code it has declared', () => {
    fc.assert(
      fc.property(request, aggregates, options, (asked, inAggregates, with_) => {
        for (const { name, codes, verdict } of FILTERS) {
          const answer = verdict(aHost({ aggregates: inAggregates }), asked, with_);
          if (answer.pass) continue;
          expect([name, Object.keys(codes).includes(answer.code)]).toEqual([name, true]);
          expect(answer.sentence).toMatch(/\.$/);
          expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('the request becomes a query or is refused with a reason; no amount in it is zero, negative or endless', () => {
    const refusals = new Set<string>([
      'flavor.resource_amount',
      'flavor.trait_value',
      ...REQUEST_FILTERS.flatMap((f) => Object.keys(f.codes)),
    ]);
    fc.assert(
      fc.property(request, aggregates, options, (asked, all, with_) => {
        const prepared = prepare(asked, someFacts({ aggregates: all }), with_);
        if (!prepared.ok) return expect(refusals.has(prepared.reason.code)).toBe(true);
        for (const { resources } of prepared.query.groups)
          for (const amount of Object.values(resources)) expect(Number.isSafeInteger(amount) && amount > 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
