import { AggregatesRepository } from '@fractus/compute-db';
import type { HostReport } from '@fractus/rpc-contracts';
import {
  aCall,
  addHost,
  AGENT,
  aProvider,
  aSpec,
  aState,
  type Cloud,
  ctx,
  INCARNATION,
  nodeIdOf,
  startCloud,
} from './fixture';

const report = (seq: number, over: Partial<HostReport> = {}): HostReport => ({
  agentId: AGENT,
  incarnation: INCARNATION,
  seq,
  alive: ['c0', 'c1'],
  changed: [],
  ...over,
});

/** Asks until the answer is as wanted: news are taken in at some time after they were sent. */
async function until<T>(ask: () => Promise<T>, good: (answer: T) => boolean): Promise<T> {
  for (let i = 0; i < 200; i++) {
    const answer = await ask();
    if (good(answer)) return answer;
  }
  return ask();
}

describe('news', () => {
  let cloud: Cloud;
  beforeEach(async () => {
    cloud = await startCloud([aProvider(0), aProvider(1), aProvider(2)], async (db) => {
      for (let i = 0; i < 2; i++) await addHost(db, i);
    });
    await cloud.news.hosts(ctx, report(1));
  });
  afterEach(() => cloud.close());
  const dryAsk = async (requestedHost: string) => {
    const call = aCall({ spec: aSpec({ requestedHost }) });
    const answer = await cloud.client.selectDestinations(ctx, call);
    cloud.placement.flat.release(call.serverId);
    return answer;
  };

  it('bring a host that was registered since the snapshot', async () => {
    expect((await dryAsk('c2')).summary).toBe('There is no host c2.');
    await addHost(cloud.database, 2);
    await cloud.news.hosts(ctx, report(2, { alive: ['c0', 'c1', 'c2'] }));
    const answer = await until(
      () => dryAsk('c2'),
      (a) => a.outcome === 'selected',
    );
    expect(answer.destination?.host).toBe('c2');
  });

  it('of a host that is still being read hold a request up until it is', async () => {
    await addHost(cloud.database, 2, { neverSeen: true });
    await cloud.news.hosts(ctx, report(2, { alive: ['c2'], changed: [aState(2)] }));
    const answer = await until(
      () => dryAsk('c2'),
      (a) => a.summary !== 'There is no host c2.',
    );
    expect(answer.destination?.host).toBe('c2');
  });

  it('tell that an operator disabled a service', async () => {
    expect((await dryAsk('c0')).outcome).toBe('selected');
    await cloud.database.transaction((tx) =>
      tx.execute("UPDATE services SET disabled = 1, disabled_reason = 'disks' WHERE host = 'c0'"),
    );
    await cloud.news.serviceChanged(ctx, { host: 'c0' });
    const answer = await until(
      () => dryAsk('c0'),
      (a) => a.outcome === 'no_valid_host',
    );
    expect(answer.summary).toContain('1 disabled');
  });

  it('tell that aggregates changed', async () => {
    const aggregates = new AggregatesRepository(cloud.database);
    const { id } = await aggregates.create(
      { uuid: nodeIdOf(99), name: 'a', metadata: { availability_zone: 'az1' } },
      1,
    );
    await aggregates.addHost(id, 'c0', 1);
    await cloud.news.aggregatesChanged(ctx, { aggregates: [nodeIdOf(99)] });
    const ask = () =>
      cloud.client.selectDestinations(ctx, aCall({ spec: aSpec({ availabilityZone: 'nova' }), alternates: 5 }));
    const answer = await until(ask, (a) => a.alternates.length === 0);
    expect(answer.destination?.host).toBe('c1');
  });

  it('that are stale cost a retry, never a wrong claim', async () => {
    // the news call c0 empty, but it is full: Placement knows
    cloud.placement.flat.claim(nodeIdOf(50), { [nodeIdOf(0)]: { resources: { VCPU: 4 } } });
    await cloud.news.hosts(ctx, report(2, { changed: [aState(0)] }));
    const answers = await Promise.all(Array.from({ length: 4 }, () => cloud.client.selectDestinations(ctx, aCall())));
    expect(answers.map((a) => a.destination?.host)).toEqual(['c1', 'c1', 'c1', 'c1']);
    expect(cloud.placement.flat.free(nodeIdOf(0), 'VCPU')).toBe(0);
  });
});
