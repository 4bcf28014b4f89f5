import fc from 'fast-check';
import { findCandidates } from '../src/domain/search';
import { Trace } from '../src/domain/trace';
import { estate, group, query, sketch } from './arbitraries';
import { type Sketch, estateOf, recordsOf, show } from './estates';
import { oracle } from './oracle';

describe('candidate search against the rules said the slow way', () => {
  it('finds the very same candidates on any small estate', () => {
    fc.assert(
      fc.property(estate, query, (sketches, q) => {
        const found = show(findCandidates(estateOf(sketches), q).candidates);
        expect(found).toEqual(oracle(recordsOf(sketches), q));
      }),
      { numRuns: 3000 },
    );
  });

  it('gives the same answer with a trace, and a trace whose counts only shrink', () => {
    fc.assert(
      fc.property(estate, query, (sketches, q) => {
        const world = estateOf(sketches);
        const trace = new Trace();
        const explained = findCandidates(world, q, { trace });
        expect(show(explained.candidates)).toEqual(show(findCandidates(world, q).candidates));
        for (const stage of trace.stages) expect(stage.out.providers).toBeLessThanOrEqual(stage.in.providers);
        if (explained.candidates.length === 0) expect(trace.firstFailure.size).toBe(world.treeCount);
      }),
      { numRuns: 500 },
    );
  });

  it('decides hosts without a tree of their own as it decides all others', () => {
    const flat = fc.array(sketch, { minLength: 1, maxLength: 9 }).map((list): Sketch[] =>
      list.map((s, i) => ({
        name: `p${i}`,
        inv: s.inv as Record<string, { total: number }>,
        used: Object.fromEntries(Object.keys(s.inv).map((rc) => [rc, s.load])),
        traits: s.traits,
        aggs: s.aggs,
      })),
    );
    const one = fc.constantFrom('', '_X').chain(group);
    let candidates = 0;
    fc.assert(
      fc.property(flat, one, query, (sketches, only, q) => {
        const asked = { ...q, groups: [only], sameSubtree: [] };
        const quick = show(findCandidates(estateOf(sketches), asked).candidates);
        candidates += quick.length;
        expect(quick).toEqual(show(findCandidates(estateOf(sketches), asked, { trace: new Trace() }).candidates));
        expect(quick).toEqual(oracle(recordsOf(sketches), asked));
      }),
      { numRuns: 1500 },
    );
    expect(candidates).toBeGreaterThan(300);
  });

  it('cuts at the limit from any offset, to candidates of the whole answer', () => {
    fc.assert(
      fc.property(
        estate,
        query,
        fc.integer({ min: 1, max: 4 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (sketches, q, limit, offset) => {
          const world = estateOf(sketches);
          const whole = show(findCandidates(world, q).candidates);
          const some = show(findCandidates(world, { ...q, limit }, { offset }).candidates);
          expect(some).toHaveLength(Math.min(limit, whole.length));
          for (const c of some) expect(whole).toContain(c);
          expect(new Set(some).size).toBe(some.length);
        },
      ),
      { numRuns: 500 },
    );
  });
});
