import fc from 'fast-check';
import {
  type CandidateQuery,
  emptyGroup,
  FILTERS,
  FlatPlacement,
  type HostView,
  outcomeOfNone,
  prepare,
  proposalsOf,
  relaxedQuery,
  schedule,
  type ScheduleRequest,
  userView,
  WEIGHERS,
} from '../src';
import { FILTER_EXAMPLES, type FilterExample, optionsOf } from './filter-examples';
import { aFlavor, aHost, anImage, aRequest, someFacts, withSpecs } from './fixtures';

/** A dry run over hosts that all have room. */
function run(hosts: readonly HostView[], request: ScheduleRequest, options = optionsOf({ host: {}, request: {} })) {
  const capacity = { VCPU: 64, PCPU: 64, MEMORY_MB: 65536, DISK_GB: 1000 };
  const placement = new FlatPlacement(hosts.map((h) => ({ id: h.nodeId, capacity, traits: [], aggregates: [] })));
  const facts = someFacts({ hosts });
  const hostOf = (id: string): HostView | undefined => hosts.find((h) => h.nodeId === id);
  return schedule({ request, facts, seed: 's', hostOf, options, search: (q) => placement.candidates(q) });
}

const EXAMPLES = FILTERS.flatMap(({ name }) =>
  Object.entries<FilterExample>(FILTER_EXAMPLES[name]).map(([code, example]) => ({ name, code, example })),
);

describe('a report', () => {
  it.each(EXAMPLES)(
    'of $name tells operators host, code, have, need and one sentence ($code)',
    async ({ name, code, example }) => {
      const options = { ...optionsOf(example), enabledFilters: [name] };
      // a name that no host has is refused before any filter; this one is that of a host which is not offered
      const facts = [aHost(example.host), aHost({ host: 'c2', node: 'c2', nodeId: 'n2', ...example.host })];
      const [host] = facts as [HostView];
      const request = aRequest(example.request);
      const prepared = prepare(request, someFacts({ hosts: facts }), options);
      expect(prepared.ok).toBe(true);
      const { report } = await run([host], request, options);
      if (request.requestedHost !== null || request.requestedNode !== null) {
        expect(report).toMatchObject({ outcome: 'target_unfit' });
        return;
      }
      expect(report.hosts).toEqual([
        {
          host: 'c1',
          stage: 'filter',
          by: name,
          code,
          have: report.hosts[0]?.have,
          need: report.hosts[0]?.need,
          sentence: expect.stringMatching(/^\S[^\n]*\.$/) as string,
        },
      ]);
      // null is nothing, and said as such
      expect([report.hosts[0]?.have, report.hosts[0]?.need]).not.toContain(undefined);
      expect(report.outcome).toBe(code.startsWith('group.') ? 'group_violated' : 'no_valid_host');
      expect(JSON.stringify(userView(report))).not.toContain('"c1"');
      expect(report.summary).not.toContain('c1');
    },
  );

  it('tells of each weigher what it is in words', () => {
    for (const { name, what } of WEIGHERS) {
      expect(what).toMatch(/\S/);
      expect(name).toMatch(/Weigher$/);
    }
  });

  it('calls a group violated only where its filters took what was left', async () => {
    const group = { groupId: 'g', policy: 'anti-affinity' as const, maxServerPerHost: 1, membersByHost: { c1: 1 } };
    const second = aHost({ host: 'c2', node: 'c2', nodeId: 'n2' });
    const { report } = await run([aHost()], aRequest({ serverGroup: group }));
    expect(report).toMatchObject({
      outcome: 'group_violated',
      summary: expect.stringMatching(/^1 host: 1 already full/),
    });
    const down = { ...second, service: { ...second.service, up: false } };
    expect((await run([aHost(), down], aRequest({ serverGroup: group }))).report.outcome).toBe('group_violated');
    expect((await run([aHost(), second], aRequest({ serverGroup: group }))).report.chosen).toBe('c2');
    expect(outcomeOfNone(aRequest(), [])).toBe('no_valid_host');
  });
});

/** Filters whose rejection only an operator can lift, or another host. */
const NOT_THE_REQUESTS: ReadonlySet<string> = new Set([
  'host.disabled', 'host.forced_down', 'host.down', 'host.servers', 'host.io_ops', 'host.isolated', 'host.not_isolated',
  'aggregate.tenant', 'aggregate.flavor',
]); // prettier-ignore

describe('what could be asked less of', () => {
  it.each(EXAMPLES.filter(({ code }) => !NOT_THE_REQUESTS.has(code)))(
    'holds what lifts $code of $name',
    ({ name, code, example }) => {
      const filter = FILTERS.find((f) => f.name === name)!;
      const passes = (request: ScheduleRequest): boolean =>
        filter.verdict(aHost(example.host), request, optionsOf(example)).pass;
      const request = aRequest(example.request);
      expect(passes(request)).toBe(false);
      const helping = [...proposalsOf(request)].filter((p) => passes(p.request));
      expect(helping.length).toBeGreaterThan(0);
      for (const { relax, detail, sentence } of helping) {
        expect([relax, detail, sentence].every((t) => t.length > 0)).toBe(true);
        expect(sentence).not.toMatch(/undefined|null|\[object/);
      }
      expect(code).toMatch(/\./);
    },
  );

  it('leaves one thing out at a time, and nothing out of a plain request', () => {
    expect([...proposalsOf(aRequest())]).toEqual([]);
    const request = aRequest({
      availabilityZone: 'az1',
      requestedHost: 'c1',
      schedulerHints: { build_near_host_ip: ['192.0.2.1'], cidr: ['/24'], same_host: ['s1'] },
      ...withSpecs({ 'hw:cpu_policy': 'dedicated', 'resources:VGPU': '1' }),
      image: anImage({ hw_architecture: 'x86_64', 'trait:CUSTOM_A': 'required' }),
      excludeHosts: ['c9'],
    });
    expect([...proposalsOf(request)].map((p) => `${p.relax} ${p.detail}`)).toEqual([
      'availability_zone az1',
      'host c1',
      'scheduler_hint build_near_host_ip',
      'scheduler_hint same_host',
      'extra_spec hw:cpu_policy',
      'image_property hw_architecture',
      'excluded_host c9',
    ]);
  });

  it('is applied to the question, term by term, and to nothing that it does not have', () => {
    const query: CandidateQuery = {
      groups: [
        {
          ...emptyGroup(''),
          resources: { VCPU: 2, DISK_GB: 80 },
          required: ['A'],
          anyOf: [['B', 'C']],
          forbidden: ['D'],
          memberOf: [['x', 'y']],
          notMemberOf: ['z'],
          inTree: 't',
        },
        { ...emptyGroup('_1'), resources: { VGPU: 1 } },
      ],
      groupPolicy: 'isolate',
      sameSubtree: [['', '_1']],
      rootRequired: ['R'],
      rootForbidden: ['F'],
      limit: 3,
    };
    const first = (term: Omit<Parameters<typeof relaxedQuery>[1], 'group'>) =>
      relaxedQuery(query, { group: '', ...term })?.groups[0];
    expect(first({ relax: 'resource', detail: 'DISK_GB:80', resourceClass: 'DISK_GB', to: 60 })?.resources).toEqual({
      VCPU: 2,
      DISK_GB: 60,
    });
    expect(first({ relax: 'required', detail: 'A' })?.required).toEqual([]);
    expect(first({ relax: 'required', detail: 'C,B' })?.anyOf).toEqual([]);
    expect(first({ relax: 'forbidden', detail: 'D' })?.forbidden).toEqual([]);
    expect(first({ relax: 'member_of', detail: 'y,x' })?.memberOf).toEqual([]);
    expect(first({ relax: 'not_member_of', detail: 'z' })?.notMemberOf).toEqual([]);
    expect(first({ relax: 'in_tree', detail: 't' })).not.toHaveProperty('inTree');
    const whole = (relax: string, detail: string) => relaxedQuery(query, { relax, detail, group: null });
    expect(whole('root_required', 'R')?.rootRequired).toEqual([]);
    expect(whole('root_forbidden', 'F')?.rootForbidden).toEqual([]);
    expect(whole('same_subtree', '_1,')?.sameSubtree).toEqual([]);
    expect(whole('group_policy', 'isolate')?.groupPolicy).toBe('none');
    for (const relax of ['required', 'forbidden', 'member_of', 'not_member_of', 'in_tree', 'resource', 'unknown'])
      expect(first({ relax, detail: 'other' })).toBeUndefined();
    expect(whole('root_required', 'other')).toBeUndefined();
  });

  it('never adds to a request', () => {
    const words = fc.dictionary(fc.constantFrom('a', 'b', 'hw:c'), fc.constantFrom('1', '2'));
    const lists = fc.dictionary(fc.constantFrom('same_host', 'cidr', 'x'), fc.array(fc.constantFrom('s1', 's2')));
    fc.assert(
      fc.property(words, words, lists, (extraSpecs, properties, schedulerHints) => {
        const image = anImage(properties);
        const request = aRequest({ flavor: aFlavor({ extraSpecs }), image, schedulerHints });
        for (const { request: less } of proposalsOf(request)) {
          const size = (r: ScheduleRequest): number => JSON.stringify(r).length;
          expect(size(less)).toBeLessThan(size(request));
        }
      }),
    );
  });
});
