import fc from 'fast-check';
import { type Claim, RecentClaims, type Taken } from '../src/hosts/recent-claims';

const sum = (claims: readonly Claim[]): Taken => ({
  servers: claims.length,
  vcpus: claims.reduce((n, c) => n + c.vcpus, 0),
  memoryMb: claims.reduce((n, c) => n + c.memoryMb, 0),
  diskGb: claims.reduce((n, c) => n + c.diskGb, 0),
});

const step = fc.record({
  what: fc.constantFrom('add', 'add', 'add', 'remove', 'report', 'ask', 'ask'),
  node: fc.nat({ max: 1 }).map((n) => `node-${n}`),
  serverId: fc.nat({ max: 5 }).map((n) => `server-${n}`),
  vcpus: fc.nat({ max: 8 }),
  /** Milliseconds since the step before. */
  after: fc.constantFrom(0, 1, 900, 4_000, 30_000),
  /** How long ago Placement was asked. */
  ago: fc.constantFrom(0, 1, 1_000, 20_000, 200_000),
});

describe('recent claims', () => {
  it('add up to what was claimed, less what was taken back, reported or forgotten', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const claims = new RecentClaims();
        let [now, all]: [number, (Claim & { node: string })[]] = [1_000_000, []];
        for (const { what, node, serverId, vcpus, after, ago } of steps) {
          now += after;
          const claim = { serverId, vcpus, memoryMb: vcpus * 512, diskGb: 1, at: now };
          const others = all.filter((c) => c.node !== node || c.serverId !== serverId);
          if (what === 'add') {
            claims.add(node, claim);
            all = [...others, { ...claim, node }];
          } else if (what === 'remove') {
            claims.remove(node, serverId);
            all = others;
          } else if (what === 'report') {
            claims.reported(node, now);
            all = all.filter((c) => c.node !== node || c.at > now - 10_000);
          } else {
            const here = all.filter((c) => c.node === node && c.at > now - 120_000);
            const since = here.filter((c) => c.at >= now - ago);
            expect(claims.on(node, now, now - ago)).toEqual({ all: sum(here), since: sum(since) });
          }
        }
      }),
    );
  });
});
