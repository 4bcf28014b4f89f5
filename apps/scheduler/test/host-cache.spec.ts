import type { HostSnapshot } from '@fractus/compute-db';
import type { HostReport } from '@fractus/rpc-contracts';
import { HostCache } from '../src/hosts/host-cache';
import { AGENT, aState, INCARNATION, nodeIdOf } from './fixture';

const NOW = 1_700_000_100_000;

const snapshot = (n: number, seq = 1, over: Partial<HostSnapshot> = {}): HostSnapshot => {
  const { uptimeSeconds: _, ...state } = aState(n);
  const service = { disabled: false, disabledReason: null, forcedDown: false, lastSeenAt: NOW };
  return { rowId: n + 1, ...state, incarnation: INCARNATION, seq, service, ...over };
};
const report = (seq: number, over: Partial<HostReport> = {}): HostReport => ({
  agentId: AGENT,
  incarnation: INCARNATION,
  seq,
  alive: ['c0', 'c1'],
  changed: [],
  ...over,
});

describe('the host cache', () => {
  let cache: HostCache;
  beforeEach(() => {
    cache = new HostCache({ serviceDownSeconds: 60, defaultZone: 'nova' });
    cache.load([snapshot(0), snapshot(1)]);
    cache.report(report(1), NOW);
  });
  const guests = (n: number) => cache.view(nodeIdOf(n), NOW)?.runningGuests;

  it('takes news in order and ignores older ones', () => {
    expect(cache.report(report(2, { changed: [aState(0, { runningGuests: 5 })] }), NOW)).toEqual([]);
    expect(guests(0)).toBe(5);
    expect(cache.report(report(2, { changed: [aState(0, { runningGuests: 9 })] }), NOW)).toEqual([]);
    expect(cache.report(report(1, { changed: [aState(0, { runningGuests: 9 })] }), NOW)).toEqual([]);
    expect(guests(0)).toBe(5);
  });

  it('asks for what it may have missed after a gap, or from a new process', () => {
    expect(cache.report(report(4, { changed: [aState(0)] }), NOW)).toEqual(['c1']);
    expect(cache.report(report(1, { incarnation: INCARNATION + 1 }), NOW)).toEqual(['c0', 'c1']);
    expect(cache.report(report(5), NOW)).toEqual([]); // the old process is gone
  });

  it('asks for all of the agent after a gap, though a report names only what has changed', () => {
    const only = { alive: ['c0'], changed: [aState(0)] };
    expect(cache.report(report(2, only), NOW)).toEqual([]);
    expect(cache.report(report(4, only), NOW)).toEqual(['c1']);
  });

  it('asks for hosts that it does not know', () => {
    expect(cache.report(report(2, { alive: ['c0', 'c7'] }), NOW)).toEqual(['c7']);
  });

  it('asks for the service of a host whose state came before anything else', () => {
    const first = { agentId: 'agent-2', alive: ['c7'], changed: [aState(7)] };
    expect(cache.report(report(1, first), NOW)).toEqual(['c7']);
    cache.load([snapshot(7)]);
    expect(cache.view(nodeIdOf(7), NOW)?.service.up).toBe(true);
    expect(cache.report(report(2, first), NOW)).toEqual([]);
  });

  it('never lets an older row replace newer news', () => {
    cache.report(report(2, { changed: [aState(0, { runningGuests: 5 })] }), NOW);
    cache.load([snapshot(0, 1)]);
    expect(guests(0)).toBe(5);
    cache.load([snapshot(0, 3, { runningGuests: 7 })]);
    expect(guests(0)).toBe(7);
  });

  it('calls a host down that is silent too long, forced down, or without a service', () => {
    const up = (at: number) => cache.view(nodeIdOf(0), at)?.service;
    expect(up(NOW + 60_000)).toMatchObject({ up: true });
    expect(up(NOW + 61_000)).toMatchObject({ up: false, silentSeconds: 61 });
    cache.report(report(2), NOW + 70_000);
    expect(up(NOW + 71_000)).toMatchObject({ up: true });
    cache.load([snapshot(0, 1, { service: { ...snapshot(0).service, forcedDown: true } })]);
    expect(up(NOW + 71_000)).toMatchObject({ up: false, forcedDown: true });
  });

  it('remembers that a host was heard of before its service was read', () => {
    expect(cache.report(report(2, { alive: ['c2'] }), NOW)).toEqual(['c2']);
    cache.load([snapshot(2, 1, { service: { ...snapshot(2).service, lastSeenAt: null } })]);
    expect(cache.view(nodeIdOf(2), NOW)?.service).toMatchObject({ up: true, silentSeconds: 0 });
  });

  it('deducts claims until a report must know of them', () => {
    const claim = { serverId: 's', vcpus: 2, memoryMb: 1024, diskGb: 10, at: NOW };
    cache.claims.add(nodeIdOf(0), claim);
    cache.claims.add(nodeIdOf(0), claim); // the same server twice is one claim
    expect(cache.view(nodeIdOf(0), NOW)).toMatchObject({
      free: { vcpus: 2, memoryMb: 7168, diskGb: 90 },
      runningGuests: 1,
      ioOps: 1,
    });
    cache.report(report(2, { changed: [aState(0)] }), NOW + 1000);
    expect(cache.view(nodeIdOf(0), NOW)?.free.vcpus).toBe(2);
    cache.report(report(3, { changed: [aState(0, { vcpusUsed: 2 })] }), NOW + 10_000);
    expect(cache.view(nodeIdOf(0), NOW)).toMatchObject({ free: { vcpus: 2 }, runningGuests: 0 });
  });

  it('believes Placement about room, and deducts only what was claimed after it was asked', () => {
    const claims = [NOW - 5, NOW + 5].map((at, i) => ({ serverId: `s${i}`, vcpus: 1, memoryMb: 0, diskGb: 0, at }));
    for (const c of claims) cache.claims.add(nodeIdOf(0), c);
    expect(cache.view(nodeIdOf(0), NOW, { asOf: NOW, vcpus: 16 })?.free.vcpus).toBe(15);
  });

  it('forgets hosts that are gone', () => {
    cache.retain(new Set([nodeIdOf(1)]));
    expect(cache.view(nodeIdOf(0), NOW)).toBeUndefined();
    cache.forgetHosts(['c1'], []);
    expect(cache.facts().hosts).toEqual([]);
  });

  it('requires OWNER_NOVA only when every node has it', () => {
    expect(cache.facts().everyHostOwned).toBe(false);
    cache.load([snapshot(0, 2, { traits: ['OWNER_NOVA'] })]);
    expect(cache.facts().everyHostOwned).toBe(false);
    cache.report(report(2, { changed: [aState(1, { traits: ['OWNER_NOVA'] })] }), NOW);
    expect(cache.facts().everyHostOwned).toBe(true);
  });
});
