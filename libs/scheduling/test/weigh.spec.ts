import fc from 'fast-check';
import {
  compareWeights,
  DEFAULT_MULTIPLIERS,
  DEFAULT_OPTIONS,
  type HostView,
  type MultiplierName,
  weigh,
  WEIGHERS,
} from '../src';
import { anAggregate, aHost, aRequest } from './fixtures';

const named = (host: string, over: Partial<HostView> = {}): HostView =>
  aHost({ host, node: host, nodeId: host, ...over });
const order = (hosts: HostView[], request = aRequest(), options = DEFAULT_OPTIONS): string[] =>
  weigh(hosts, request, { ...options, shuffleBestSameWeighedHosts: false }, 'seed').map((w) => w.host.host);
const free = (memoryMb: number) => ({ free: { vcpus: 8, memoryMb, diskGb: 100 } });
const soft = (policy: 'soft-affinity' | 'soft-anti-affinity') =>
  aRequest({
    serverGroup: {
      groupId: 'g',
      policy,
      maxServerPerHost: 1,
      membersByHost: { worse: policy === 'soft-affinity' ? 0 : 2, better: policy === 'soft-affinity' ? 2 : 0 },
    },
  });

/** Per weigher, a pair of hosts that it alone tells apart, the better one by default multipliers. */
const PAIRS: {
  [N in (typeof WEIGHERS)[number]['name']]: {
    better: Partial<HostView>;
    worse: Partial<HostView>;
    request?: ReturnType<typeof aRequest>;
    multiplier?: number;
  };
} = {
  RAMWeigher: { better: free(4096), worse: free(1024) },
  CPUWeigher: {
    better: { free: { vcpus: 9, memoryMb: 1, diskGb: 1 } },
    worse: { free: { vcpus: 2, memoryMb: 1, diskGb: 1 } },
  },
  DiskWeigher: {
    better: { free: { vcpus: 1, memoryMb: 1, diskGb: 50 } },
    worse: { free: { vcpus: 1, memoryMb: 1, diskGb: 5 } },
  },
  PCIWeigher: { better: { freePciDevices: 0 }, worse: { freePciDevices: 4 } },
  IoOpsWeigher: { better: { ioOps: 0 }, worse: { ioOps: 3 } },
  NumInstancesWeigher: { better: { runningGuests: 1 }, worse: { runningGuests: 9 }, multiplier: -1 },
  HypervisorVersionWeigher: { better: { hypervisorVersion: 9000000 }, worse: { hypervisorVersion: 8000000 } },
  ServerGroupSoftAffinityWeigher: { better: {}, worse: {}, request: soft('soft-affinity') },
  ServerGroupSoftAntiAffinityWeigher: { better: {}, worse: {}, request: soft('soft-anti-affinity') },
  BuildFailureWeigher: { better: { failedBuilds: 0 }, worse: { failedBuilds: 1 } },
};

describe('weighing', () => {
  it.each(WEIGHERS.map((weigher) => ({ weigher })))('$weigher.name tells hosts apart and says so', ({ weigher }) => {
    const { better, worse, request = aRequest(), multiplier } = PAIRS[weigher.name];
    const multipliers = {
      ...DEFAULT_MULTIPLIERS,
      ...(multiplier !== undefined && { [weigher.multiplier]: multiplier }),
    };
    const options = { ...DEFAULT_OPTIONS, multipliers };
    const [first, second] = weigh([named('worse', worse), named('better', better)], request, options, 's');
    expect(first?.host.host).toBe('better');
    expect(new Set([...first!.parts, ...second!.parts].map((p) => p.weigher))).toEqual(new Set([weigher.name]));
    const reason = compareWeights(second!, first!);
    expect(reason).toMatchObject({ code: 'weight.lower', sentence: expect.stringContaining(weigher.name) as string });
    expect(reason.sentence).toContain(weigher.what);
    const flipped = { ...multipliers, [weigher.multiplier]: -multipliers[weigher.multiplier as MultiplierName] };
    expect(
      order([named('worse', worse), named('better', better)], request, { ...options, multipliers: flipped })[0],
    ).toBe('worse');
  });

  it('scales from the lower bound where there is one, else from the least', () => {
    const weighed = weigh([named('a', free(4000)), named('b', free(1000))], aRequest(), DEFAULT_OPTIONS, 's');
    expect(weighed.map((w) => w.parts.map((p) => p.normalised))).toEqual([[1], [0.25]]);
    const versions = [9, 8, 6].map((v) => named(`v${v}`, { hypervisorVersion: v }));
    const scaled = weigh(versions, aRequest(), DEFAULT_OPTIONS, 's').map((w) => w.parts[0]?.normalised);
    expect(scaled).toEqual([1, 2 / 3, undefined]);
  });

  it('lets an aggregate set the multiplier of its hosts, the least of several', () => {
    const aggregates = [anAggregate({ ram_weight_multiplier: '-3' }), anAggregate({ ram_weight_multiplier: '2' }, 'b')];
    expect(order([named('a', { ...free(4000), aggregates }), named('b', free(1000))])).toEqual(['b', 'a']);
  });

  it('draws from the best few, and the same for the same seed', () => {
    const hosts = [4, 3, 2, 1].map((n) => named(`m${n}`, free(n * 1000)));
    const options = { ...DEFAULT_OPTIONS, hostSubsetSize: 2 };
    const firsts = new Set(
      Array.from({ length: 40 }, (_, i) => weigh(hosts, aRequest(), options, `s${i}`)[0]!.host.host),
    );
    expect([...firsts].sort()).toEqual(['m3', 'm4']);
    const equal = Array.from({ length: 20 }, (_, i) => named(`e${i}`));
    const run = (seed: string) => weigh(equal, aRequest(), DEFAULT_OPTIONS, seed).map((w) => w.host.host);
    expect(run('x')).toEqual(run('x'));
    expect(run('x')).not.toEqual(run('y'));
  });

  it('keeps every host, best first after the one drawn, weights finite', () => {
    const host = fc.record({ m: fc.integer({ min: -10, max: 1e6 }), v: fc.nat(1e6), f: fc.nat(3), io: fc.nat(9) });
    fc.assert(
      fc.property(
        fc.array(host, { maxLength: 30 }),
        fc.string(),
        fc.integer({ min: 1, max: 5 }),
        (list, seed, hostSubsetSize) => {
          const hosts = list.map(({ m, v, f, io }, i) =>
            named(`h${i}`, { ...free(m), hypervisorVersion: v, failedBuilds: f, ioOps: io }),
          );
          const weighed = weigh(hosts, aRequest(), { ...DEFAULT_OPTIONS, hostSubsetSize }, seed);
          expect(weighed.map((w) => w.host.host).sort()).toEqual(hosts.map((h) => h.host).sort());
          const rest = weighed.slice(1).map((w) => w.weight);
          expect([...rest].sort((a, b) => b - a)).toEqual(rest);
          for (const w of weighed) {
            expect(Number.isFinite(w.weight)).toBe(true);
            for (const p of w.parts) expect(p.normalised).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });
});
