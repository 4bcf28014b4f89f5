import fc from 'fast-check';
import {
  type ClaimResult,
  DEFAULT_OPTIONS,
  FlatPlacement,
  type FlatProvider,
  type HostView,
  MAX_HOST_REASONS,
  schedule,
  type ScheduleRequest,
  userView,
} from '../src';
import { aFlavor, anAggregate, aHost, aRequest, withSpecs } from './fixtures';

const down = { ...aHost().service, up: false, silentSeconds: 300 };
const LOST: ClaimResult = { claimed: false, code: 'inventory.capacity', sentence: 'Taken.' };

interface CloudHost {
  view?: Partial<HostView>;
  provider?: Partial<FlatProvider>;
}

class TestCloud {
  readonly hosts: HostView[];
  readonly placement: FlatPlacement;

  constructor(list: CloudHost[]) {
    const providers = list.map(({ provider = {} }, i) => ({
      id: `n${i}`,
      capacity: { VCPU: 4, MEMORY_MB: 8192, DISK_GB: 100 },
      traits: [],
      aggregates: [],
      ...provider,
    }));
    this.hosts = list.map(({ view = {} }, i) => aHost({ host: `c${i}`, node: `c${i}`, nodeId: `n${i}`, ...view }));
    this.placement = new FlatPlacement(providers);
  }

  schedule(over: Partial<ScheduleRequest> = {}, claim?: (root: string) => ClaimResult | undefined) {
    const request = aRequest(over);
    return schedule({
      request,
      facts: { hosts: this.hosts, aggregates: this.hosts.flatMap((h) => h.aggregates), everyHostOwned: false },
      seed: request.serverId,
      hostOf: (id) => this.hosts.find((h) => h.nodeId === id),
      search: (query) => this.placement.candidates(query),
      claim: ({ rootId, allocations }) =>
        claim?.(rootId) ?? (this.placement.claim(request.serverId, allocations) ? { claimed: true } : LOST),
    });
  }
}

describe('the pipeline', () => {
  it('says in one line where twelve hosts went', async () => {
    const disabled = Array.from({ length: 4 }, () => ({ provider: { traits: ['COMPUTE_STATUS_DISABLED'] } }));
    const plain = Array.from({ length: 6 }, () => ({}));
    const small = Array.from({ length: 2 }, () => ({
      provider: { traits: ['COMPUTE_VOLUME_MULTI_ATTACH'], capacity: { VCPU: 4, MEMORY_MB: 8192, DISK_GB: 61 } },
    }));
    const cloud = new TestCloud([...disabled, ...plain, ...small]);
    const { report } = await cloud.schedule({ multiattachVolumes: true, flavor: aFlavor({ rootGb: 80 }) });
    expect(report.outcome).toBe('no_valid_host');
    // root_required comes before root_forbidden in the query
    expect(report.summary).toBe(
      '12 hosts: 10 lack COMPUTE_VOLUME_MULTI_ATTACH, 2 lack DISK_GB (need 80, best free 61)',
    );
  });

  it('tells filters apart from Placement, hosts for operators, counts for users', async () => {
    const cloud = new TestCloud([{ view: { service: down } }, { view: { availabilityZone: 'az2' } }]);
    const { report } = await cloud.schedule({ availabilityZone: 'nova' });
    expect(report.summary).toBe('2 hosts: 1 in another availability zone, 1 down');
    expect(report.hosts.map(({ host, by, code }) => ({ host, by, code }))).toEqual([
      { host: 'c1', by: 'AvailabilityZone', code: 'zone.other' },
      { host: 'c0', by: 'ComputeFilter', code: 'host.down' },
    ]);
    const forUsers = JSON.stringify(userView(report));
    expect(forUsers).not.toMatch(/c0|c1|n0|n1/);
    expect(userView(report).stages).toContainEqual({
      stage: 'filter',
      name: 'ComputeFilter',
      in: 1,
      out: 0,
      reasons: { 'host.down': 1 },
    });
  });

  it('hides aggregates and hosts from users', async () => {
    const aggregate = anAggregate({ availability_zone: 'az1' }, 'secret-aggregate');
    const cloud = new TestCloud([{ view: { aggregates: [aggregate], availabilityZone: 'az1' } }]);
    const { report } = await cloud.schedule({ availabilityZone: 'az1' });
    expect(report.summary).toBe('1 host: 1 outside the availability zone or aggregates asked for');
    expect(JSON.stringify(report)).toContain('secret-aggregate');
    expect(JSON.stringify(userView(report))).not.toContain('secret-aggregate');
  });

  it('says that nobody has a resource class at all', async () => {
    const cloud = new TestCloud([{}, {}]);
    const stages = [{ group: '', check: 'resource', detail: 'VGPU:1', in: 0, out: 0 }];
    const { report } = await schedule({
      request: aRequest(),
      facts: { hosts: cloud.hosts, aggregates: [], everyHostOwned: false },
      seed: 's',
      hostOf: () => undefined,
      search: () => ({ candidates: [], stages }),
    });
    expect(report.summary).toBe('2 hosts: 2 have no VGPU');
  });

  it('refuses a request as a whole with its sentence', async () => {
    const { report } = await new TestCloud([{}]).schedule({ requestedHost: 'c9' });
    expect(report).toMatchObject({ outcome: 'target_unfit', summary: 'There is no host c9.' });
    expect((await new TestCloud([]).schedule()).report.summary).toBe('There are no compute hosts.');
  });

  it('tries every candidate of a host before the next host', async () => {
    const cloud = new TestCloud([{}, {}]);
    const tried: string[] = [];
    const search = (id: string, n: number) => Array.from({ length: n }, () => ({ rootId: id, allocations: {} }));
    const { report, claimed } = await schedule({
      request: aRequest(),
      facts: { hosts: cloud.hosts, aggregates: [], everyHostOwned: false },
      seed: 's',
      hostOf: (id) => cloud.hosts.find((h) => h.nodeId === id),
      search: () => ({ candidates: [...search('n0', 3), ...search('n1', 2)], stages: [] }),
      claim: ({ rootId }) => (tried.push(rootId), LOST),
    });
    expect(claimed).toBeUndefined();
    expect([
      ['n0', 'n0', 'n0', 'n1', 'n1'],
      ['n1', 'n1', 'n0', 'n0', 'n0'],
    ]).toContainEqual(tried);
    expect(report.outcome).toBe('claims_exhausted');
    expect(report.stages.at(-1)).toEqual({
      stage: 'claim',
      in: 2,
      hosts: 2,
      tries: 5,
      out: 0,
      reasons: { 'inventory.capacity': 5 },
    });
    expect(report.summary).toBe('2 hosts: 2 hosts could take it when asked, but 5 claims came too late');
  });

  it('counts exactly and caps the reasons of hosts', async () => {
    const cloud = new TestCloud(Array.from({ length: 500 }, () => ({ view: { service: down } })));
    const { report } = await cloud.schedule();
    expect(report.hosts).toHaveLength(MAX_HOST_REASONS);
    expect(report.hostsOmitted).toBe(500 - MAX_HOST_REASONS);
    expect(report.summary).toBe('500 hosts: 500 down');
  });

  it('names what it chose and why', async () => {
    const cloud = new TestCloud([{ view: { failedBuilds: 2 } }, {}]);
    const { report } = await cloud.schedule();
    expect(report).toMatchObject({ outcome: 'selected', chosen: 'c1', summary: '1 of 2 fitting hosts chosen among 2' });
    expect(report.weighed[1]?.parts).toEqual([
      { weigher: 'BuildFailureWeigher', raw: 2, normalised: 1, multiplier: -1e6 },
    ]);
  });

  it('refuses a report that is no JSON', async () => {
    const { report } = await new TestCloud([{}, { view: { service: down } }]).schedule(
      withSpecs({ 'trait:CUSTOM_X': 'required' }),
    );
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  it('never over-commits, chooses only what passes, and finds a host whenever one fits', async () => {
    const host = fc.record({
      vcpu: fc.nat(6),
      disk: fc.integer({ min: 0, max: 60 }),
      up: fc.boolean(),
      disabled: fc.boolean(),
    });
    const server = fc.record({ vcpus: fc.integer({ min: 1, max: 4 }), rootGb: fc.integer({ min: 0, max: 40 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(host, { maxLength: 8 }),
        fc.array(server, { maxLength: 20 }),
        async (hosts, servers) => {
          const cloud = new TestCloud(
            hosts.map(({ vcpu, disk, up, disabled }) => ({
              view: up ? {} : { service: down },
              provider: {
                capacity: { VCPU: vcpu, MEMORY_MB: 1e6, DISK_GB: disk },
                traits: disabled ? ['COMPUTE_STATUS_DISABLED'] : [],
              },
            })),
          );
          for (const [i, { vcpus, rootGb }] of servers.entries()) {
            const fits = hosts.filter(
              (h, n) =>
                h.up &&
                !h.disabled &&
                cloud.placement.free(`n${n}`, 'VCPU') >= vcpus &&
                (rootGb === 0 || cloud.placement.free(`n${n}`, 'DISK_GB') >= rootGb),
            );
            const { report, claimed } = await cloud.schedule({ serverId: `s${i}`, flavor: aFlavor({ vcpus, rootGb }) });
            expect(report.outcome).toBe(fits.length > 0 ? 'selected' : 'no_valid_host');
            if (claimed) expect(fits).toContain(hosts[Number(claimed.host.nodeId.slice(1))]);
            hosts.forEach((_, n) => {
              expect(cloud.placement.free(`n${n}`, 'VCPU')).toBeGreaterThanOrEqual(0);
              expect(cloud.placement.free(`n${n}`, 'DISK_GB')).toBeGreaterThanOrEqual(0);
            });
            for (const stage of report.stages)
              if (stage.stage === 'filter')
                expect(stage.in - stage.out).toBe(Object.values(stage.reasons).reduce((a, b) => a + b, 0));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('leaves the hosts alone that other options would keep', async () => {
    const cloud = new TestCloud([{ view: { ioOps: 9 } }]);
    expect((await cloud.schedule()).report.outcome).toBe('selected');
    const options = { ...DEFAULT_OPTIONS, enabledFilters: ['IoOpsFilter'] };
    const { report } = await schedule({
      request: aRequest(),
      options,
      facts: { hosts: cloud.hosts, aggregates: [], everyHostOwned: false },
      seed: 's',
      hostOf: () => cloud.hosts[0],
      search: () => ({ candidates: [{ rootId: 'n0', allocations: {} }], stages: [] }),
    });
    expect(report.summary).toBe('1 host: 1 busy with as many disk-heavy operations as a host may have');
  });
});
