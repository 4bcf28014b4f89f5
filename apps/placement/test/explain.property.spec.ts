import fc from 'fast-check';
import type { CandidateQuery } from '../src/domain/candidate-query';
import { type Explanation, explain } from '../src/domain/explain';
import { findCandidates } from '../src/domain/search';
import type { Stage } from '../src/domain/trace';
import { estate, query } from './arbitraries';
import { type Sketch, estateOf, recordsOf } from './estates';
import { oracle } from './oracle';

const rowsOf = (stages: readonly Stage[]): Stage[][] => {
  const rows = new Map<string | null, Stage[]>();
  for (const s of stages) rows.set(s.group, [...(rows.get(s.group) ?? []), s]);
  return [...rows.values()];
};

const explained = (sketches: readonly Sketch[], q: CandidateQuery): Explanation => explain(estateOf(sketches), q);

describe('an explanation of any query over any small estate', () => {
  it('counts the candidates of the plain answer, whatever its limit', () => {
    fc.assert(
      fc.property(estate, query, (sketches, q) => {
        const plain = findCandidates(estateOf(sketches), q).candidates.length;
        const told = explained(sketches, { ...q, limit: 1 });
        expect([told.candidates, told.more]).toEqual([Math.min(plain, 1000), plain > 1000]);
        expect(told.asked.anchors).toBe(sketches.filter((s) => s.parent === undefined).length);
      }),
      { numRuns: 500 },
    );
  });

  it('tells the first failing check of exactly those roots that have no candidate', () => {
    fc.assert(
      fc.property(estate, query, (sketches, q) => {
        const roots = sketches.filter((s) => s.parent === undefined).map((s) => s.name);
        const without = roots.filter((root) => oracle(recordsOf(sketches), q, root).length === 0);
        const told = explained(sketches, q);
        expect(told.failures.map((f) => f.root.uuid).sort()).toEqual([...without].sort());
        expect(told.failedRoots).toBe(without.length);
      }),
      { numRuns: 1000 },
    );
  });

  it('lets into each check what came out of the one before, and loses the roots that it names', () => {
    fc.assert(
      fc.property(estate, query, (sketches, q) => {
        const told = explained(sketches, q);
        const anchors = told.stages.filter((s) => s.group !== null || s.check !== 'combination');
        for (const row of rowsOf(anchors))
          for (const [i, s] of row.entries()) if (i > 0) expect([s.detail, s.in]).toEqual([s.detail, row[i - 1]!.out]);
        let left = told.asked.anchors;
        for (const s of told.stages) {
          expect([s.check, s.in.anchors]).toEqual([s.check, left]);
          left = s.out.anchors;
          for (const what of ['providers', 'trees', 'anchors'] as const)
            expect(s.out[what]).toBeLessThanOrEqual(s.in[what]);
        }
        expect(told.asked.anchors - left).toBe(told.failedRoots);
        for (const { check, resource, reasons, in: into } of told.stages) {
          const refused = [...reasons.values()].reduce((a, b) => a + b, 0);
          if (resource) expect(resource.offered + (reasons.get('no_inventory') ?? 0)).toBe(into.providers);
          if (resource) expect(refused).toBeLessThanOrEqual(into.providers);
          if (check === 'combination') expect(refused).toBeLessThanOrEqual(into.anchors);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('tells only relaxations that give candidates when applied, for as many roots as it says', () => {
    let told = 0;
    fc.assert(
      fc.property(estate, query, (sketches, q) => {
        const { candidates, wouldFitIf, truncated } = explained(sketches, q);
        if (candidates > 0) expect(wouldFitIf).toEqual([]);
        expect(truncated).toBe(wouldFitIf.length === 8 && truncated);
        const roots = sketches.filter((s) => s.parent === undefined).map((s) => s.name);
        for (const fit of wouldFitIf) {
          told++;
          expect(findCandidates(estateOf(sketches), fit.query).candidates.length).toBeGreaterThan(0);
          const fitting = roots.filter((root) => oracle(recordsOf(sketches), fit.query, root).length > 0);
          expect([fit.relax, fit.detail, fit.anchors]).toEqual([fit.relax, fit.detail, fitting.length]);
          expect(fit.atLeast).toBe(false);
        }
      }),
      { numRuns: 1500 },
    );
    expect(told).toBeGreaterThan(100);
  });

  it('misses no relaxation: every term that alone stands in the way is told, and the most of every resource', () => {
    fc.assert(
      fc.property(estate, query, (sketches, q) => {
        const { candidates, wouldFitIf, truncated } = explained(sketches, q);
        if (candidates > 0 || truncated) return;
        const finds = (asked: CandidateQuery): boolean => oracle(recordsOf(sketches), asked).length > 0;
        const lessOf = (suffix: string, rc: string, n: number): CandidateQuery => ({
          ...q,
          groups: q.groups.map((g) => (g.suffix === suffix ? { ...g, resources: new Map(g.resources).set(rc, n) } : g)),
        });
        for (const group of q.groups) {
          for (const [rc, from] of group.resources) {
            const below = Array.from({ length: from - 1 }, (_, i) => from - 1 - i);
            const most = below.find((n) => finds(lessOf(group.suffix, rc, n)));
            const found = wouldFitIf.find((f) => f.group === group.suffix && f.resource?.resourceClass === rc);
            expect([group.suffix, rc, found?.resource?.to]).toEqual([group.suffix, rc, most]);
          }
          for (const [i, set] of group.required.entries()) {
            const groups = q.groups.map((g) =>
              g === group ? { ...g, required: g.required.filter((_, j) => j !== i) } : g,
            );
            const found = wouldFitIf.some(
              (f) => f.relax === 'required' && f.group === group.suffix && f.detail === set.join(),
            );
            expect([set, found]).toEqual([set, finds({ ...q, groups })]);
          }
        }
        const isolated = q.groupPolicy === 'isolate' && finds({ ...q, groupPolicy: 'none' });
        expect(wouldFitIf.some((f) => f.relax === 'group_policy')).toBe(isolated);
      }),
      { numRuns: 700 },
    );
  });
});
