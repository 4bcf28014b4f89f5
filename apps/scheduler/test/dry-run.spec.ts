import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { DryRun, RequestSpec } from '@fractus/rpc-contracts';
import type { ScheduleReport } from '@fractus/scheduling';
import { aCall, addHost, aProvider, aSpec, type Cloud, ctx, startCloud } from './fixture';

const dryCall = (over: Partial<DryRun> = {}): DryRun => ({
  serverId: randomUUID(),
  operation: 'create',
  spec: aSpec(),
  excludeHosts: [],
  ...over,
});

describe('dryRun', () => {
  let cloud: Cloud;
  afterEach(() => cloud.close());
  const rows = async (): Promise<number> =>
    (await cloud.database.query<{ n: number }>('SELECT COUNT(*) AS n FROM schedule_attempts', []))[0]!.n;

  it('tells every host that would take it, with weights and their parts, and writes nothing', async () => {
    cloud = await startCloud(
      [0, 1, 2].map((n) => aProvider(n)),
      async (db) => {
        for (const n of [0, 1, 2]) await addHost(db, n);
      },
    );
    const call = dryCall();
    const answer = await cloud.client.dryRun(ctx, call);
    const report = JSON.parse(answer.report) as ScheduleReport;
    expect(answer).toMatchObject({ outcome: 'selected', fitting: 3, wouldFitIf: [], truncated: false });
    expect(report.weighed.map((w) => w.host).sort()).toEqual(['c0', 'c1', 'c2']);
    expect([cloud.placement.writes, cloud.placement.flat.held(call.serverId), await rows()]).toEqual([0, undefined, 0]);
  });

  it('names the hosts that Placement left out, each by the first check that it failed', async () => {
    cloud = await startCloud(
      [aProvider(0), aProvider(1, { capacity: { VCPU: 1, MEMORY_MB: 64, DISK_GB: 1 } })],
      async (db) => {
        for (const n of [0, 1]) await addHost(db, n);
      },
    );
    const answer = await cloud.client.dryRun(ctx, dryCall({ excludeHosts: ['c0'] }));
    const report = JSON.parse(answer.report) as ScheduleReport;
    expect(report.hosts.map((h) => [h.host, h.stage, h.code, h.have, h.need])).toEqual([
      ['c0', 'filter', 'host.already_tried', 'c0', expect.anything()],
      ['c1', 'placement', 'placement.resource.total', 64, 1024],
    ]);
    for (const h of report.hosts) expect(h.sentence).toMatch(/^c\d .*\.$/);
    expect(answer.wouldFitIf).toEqual([
      { relax: 'excluded_host', detail: 'c0', sentence: 'allow c0', hosts: 1, operatorsOnly: true },
    ]);
  });

  it('goes on with counts alone where Placement cannot explain', async () => {
    cloud = await startCloud([aProvider(0)], (db) => addHost(db, 0));
    cloud.placement.explains = false;
    const spec = aSpec({ flavor: { ...aSpec().flavor, vcpus: 5 } });
    expect(await cloud.client.dryRun(ctx, dryCall({ spec }))).toMatchObject({
      outcome: 'no_valid_host',
      wouldFitIf: [],
    });
    const { summary } = await cloud.client.selectDestinations(ctx, aCall({ spec }));
    expect(summary).toBe('1 host: 1 lack VCPU (need 5, best free 4)');
  });

  it('tells a host by name that does not suit from no host at all, to callers that know three words too', async () => {
    cloud = await startCloud([aProvider(0), aProvider(1)], async (db) => {
      await addHost(db, 0, { disabled: true });
      await addHost(db, 1);
    });
    const spec = aSpec({ requestedHost: 'c0' });
    const selection = await cloud.client.selectDestinations(ctx, aCall({ spec }));
    expect(selection).toMatchObject({ outcome: 'no_valid_host', kind: 'target_unfit' });
    const { wouldFitIf } = await cloud.client.dryRun(ctx, dryCall({ spec }));
    expect(wouldFitIf.map((r) => `${r.relax} ${r.detail}`)).toEqual(['host c0', 'enable_host c0']);
  });
});

interface HostPlan {
  vcpus: number;
  disabled: boolean;
  down: boolean;
}
const hostPlans = fc.array(
  fc.record({ vcpus: fc.integer({ min: 0, max: 3 }), disabled: fc.boolean(), down: fc.boolean() }),
  { minLength: 1, maxLength: 4 },
);
const specs: fc.Arbitrary<RequestSpec> = fc
  .record({
    vcpus: fc.integer({ min: 1, max: 3 }),
    zone: fc.constantFrom(null, 'nova', 'east'),
    host: fc.constantFrom(null, null, 'c0', 'c9'),
  })
  .map(({ vcpus, zone, host }) =>
    aSpec({ flavor: { ...aSpec().flavor, vcpus }, availabilityZone: zone, requestedHost: host }),
  );

describe('a dry run and a real one', () => {
  const startOf = (plans: readonly HostPlan[]): Promise<Cloud> =>
    startCloud(
      plans.map(({ vcpus, disabled }, n) =>
        aProvider(n, {
          capacity: { VCPU: vcpus, MEMORY_MB: 8192, DISK_GB: 100 },
          traits: disabled ? ['COMPUTE_STATUS_DISABLED'] : [],
        }),
      ),
      async (db) => {
        for (const [n, { disabled, down }] of plans.entries())
          await addHost(db, n, { disabled, ...(down ? { lastSeenAt: 1 } : {}) });
      },
    );

  it('agree: who is selected was offered, nobody is where nobody was, and what is told to help helps', async () => {
    let told = 0;
    await fc.assert(
      fc.asyncProperty(hostPlans, specs, async (plans, spec) => {
        const cloud = await startOf(plans);
        try {
          const dry = await cloud.client.dryRun(ctx, dryCall({ spec }));
          const offered = (JSON.parse(dry.report) as ScheduleReport).weighed.map((w) => w.host);
          expect(offered).toHaveLength(dry.fitting);
          for (const relaxation of dry.wouldFitIf) await helps(cloud, spec, plans, relaxation);
          told += dry.wouldFitIf.length;
          const real = await cloud.client.selectDestinations(ctx, aCall({ spec }));
          expect(real.kind).toBe(dry.outcome);
          expect(real.outcome === 'selected').toBe(offered.length > 0);
          if (real.destination) expect(offered).toContain(real.destination.host);
        } finally {
          await cloud.close();
        }
      }),
      { numRuns: 40 },
    );
    expect(told).toBeGreaterThan(0);
  }, 60_000);

  /** Selects with the term relaxed, on the same state, and lets go of what was claimed. */
  async function helps(
    cloud: Cloud,
    spec: RequestSpec,
    plans: readonly HostPlan[],
    { relax, detail, sentence }: { relax: string; detail: string; sentence: string },
  ): Promise<void> {
    if (relax === 'enable_host') {
      const n = Number(detail.slice(1));
      const enabled = await startOf(plans.map((p, i) => (i === n ? { ...p, disabled: false } : p)));
      const found = await enabled.client.selectDestinations(ctx, aCall({ spec }));
      await enabled.close();
      return expect(found.destination?.host).toBe(detail);
    }
    const relaxed = relaxations[relax]?.(spec, sentence);
    if (!relaxed) throw new Error(`no way to apply ${relax} ${detail}`);
    const call = aCall({ spec: relaxed });
    expect((await cloud.client.selectDestinations(ctx, call)).outcome).toBe('selected');
    cloud.placement.flat.release(call.serverId);
  }
  const relaxations: Record<string, (spec: RequestSpec, sentence: string) => RequestSpec> = {
    availability_zone: (spec) => ({ ...spec, availabilityZone: null }),
    host: (spec) => ({ ...spec, requestedHost: null }),
    resource: (spec, sentence) => ({
      ...spec,
      flavor: { ...spec.flavor, vcpus: Number(/ask for (\d+) instead of \d+ VCPU/.exec(sentence)?.[1]) },
    }),
  };
});
