import fc from 'fast-check';
import { capacityOf } from '../src/domain/capacity';
import { findCandidates } from '../src/domain/search';
import { toOutline } from '../src/rpc/outline';
import { estateOf, query, type Sketch } from './estates';

/** Two hosts with a device each, and a shared disk. */
const estate = estateOf([
  ...['a', 'b'].flatMap((name, i): Sketch[] => [
    { name, inv: { VCPU: 8 + i, MEMORY_MB: 100 }, used: { VCPU: i }, aggs: ['pool'] },
    { name: `${name}-fpga`, parent: name, inv: { FPGA: 2 } },
  ]),
  { name: 'disk', inv: { DISK_GB: 50 }, traits: ['MISC_SHARES_VIA_AGGREGATE'], aggs: ['pool'] },
]);

describe('an outline', () => {
  it('says all that the candidates say, and the room of their roots', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 3 }), fc.boolean(), (vcpu, fpga, disk) => {
        const asked = query([{ resources: { VCPU: vcpu, ...(disk ? { DISK_GB: 5 } : {}) } }, { suffix: '_f', resources: { FPGA: fpga } }]); // prettier-ignore
        const { candidates } = findCandidates(estate, asked);
        const { providers, demands, candidates: lines, room } = toOutline(candidates, ['VCPU', 'DISK_GB']);
        const told = lines.map(([root = -1, ...rest]) => ({
          root: providers[root],
          gives: Object.fromEntries(rest.flatMap((p, i) => (i % 2 ? [] : [[providers[p], demands[rest[i + 1]!]]]))),
        }));
        expect(told).toEqual(
          candidates.map((c) => ({
            root: c.anchor.uuid,
            gives: Object.fromEntries([...c.allocations].map(([p, amounts]) => [p.uuid, Object.fromEntries(amounts)])),
          })),
        );
        expect(new Set(providers).size).toBe(providers.length);
        const roots = [...new Set(candidates.map((c) => c.anchor))];
        expect(providers.slice(0, roots.length)).toEqual(roots.map((r) => r.uuid));
        expect(room).toEqual({
          VCPU: roots.map((r) => capacityOf(r.inventories.get('VCPU')!) - (r.used.get('VCPU') ?? 0)),
          DISK_GB: roots.map(() => null),
        });
      }),
    );
  });
});
