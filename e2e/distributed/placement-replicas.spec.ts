/**
 * Two replicas of Placement under load, one of them killed with `kill -9` in mid-write, again and again. A claim that was
 * acknowledged is there, whole, at both replicas; one that was refused is not; one whose answer never came is there
 * whole or not at all. FRACTUS_FULL=1 kills more often; FRACTUS_SEED repeats a run's choices.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { ApiClient, DistributedCloud, pause, randomFrom } from '@fractus/testing';
import type { ApiAnswer } from '@fractus/testing';

const SEED = Number(process.env['FRACTUS_SEED'] ?? randomInt(2 ** 31));
const KILLS = process.env['FRACTUS_FULL'] === '1' ? 20 : 4;
const WRITERS = 64;
const V = { version: '1.36' };
/** Units that each claim takes of each of its providers. */
const UNITS = 2;
/** So little room that writers meet its end. */
const TIGHT = 1000;

type Outcome = 'done' | 'refused' | 'unknown';
/** One request: what each consumer holds when it was done; `units` of both providers, or nothing. */
interface Step {
  readonly holds: ReadonlyMap<string, boolean>;
  readonly outcome: Outcome;
}

describe(`replicas of Placement that are killed (seed ${SEED})`, () => {
  const random = randomFrom(SEED);
  let cloud: DistributedCloud;
  let replicas: ApiClient[];
  const providers = [randomUUID(), randomUUID()];
  const steps: Step[] = [];
  let goOn = true;

  beforeAll(async () => {
    cloud = await DistributedCloud.start({ hosts: 1, apis: 1, checked: false });
    const token = (): Promise<string> => cloud.admin.authenticate();
    replicas = cloud
      .processes('placement')
      .map((_, i) => ({
        get url(): string {
          return cloud.processes('placement')[i]?.url ?? '';
        },
        service: 'placement' as const,
        token,
      }))
      .map((options) => new ApiClient(options));
    expect(replicas).toHaveLength(2);
    const [first] = replicas as [ApiClient];
    for (const [i, uuid] of providers.entries()) {
      expect((await first.post('/resource_providers', { name: `replica-${uuid}`, uuid }, V)).status).toBe(200);
      const inventories = { VCPU: { total: i === 0 ? 100_000 : TIGHT } };
      const body = { resource_provider_generation: 0, inventories };
      expect((await first.put(`/resource_providers/${uuid}/inventories`, body, V)).status).toBe(200);
    }
  }, 180_000);
  afterAll(() => cloud?.close(), 60_000);

  /** Asks any replica. `unknown`: the connection broke after the request had gone out. */
  async function outcomeOf(request: (replica: ApiClient) => Promise<ApiAnswer<unknown>>): Promise<Outcome | 'away'> {
    const replica = replicas[Math.floor(random() * replicas.length)] as ApiClient;
    try {
      const { status, body } = await request(replica);
      if (status === 204) return 'done';
      if (status === 409) return 'refused';
      if (status === 503) return 'unknown';
      throw new Error(`${status} ${JSON.stringify(body)}`);
    } catch (e) {
      const { cause } = e as { cause?: { code?: string } };
      if (cause?.code === 'ECONNREFUSED') return 'away';
      if (cause === undefined) throw e;
      return 'unknown';
    }
  }

  const claimOf = (project: string, generation: number | null, held: boolean): object => ({
    allocations: held ? Object.fromEntries(providers.map((p) => [p, { resources: { VCPU: UNITS } }])) : {},
    consumer_generation: generation,
    project_id: project,
    user_id: project,
  });

  /** Claims; hands on to another consumer in one request; releases. Stops where it does not know how things are. */
  async function consume(): Promise<void> {
    const project = randomUUID();
    const [first, second] = [randomUUID(), randomUUID()];
    const plan: { holds: Record<string, boolean>; ask: (r: ApiClient) => Promise<ApiAnswer<unknown>> }[] = [
      { holds: { [first]: true }, ask: (r) => r.put(`/allocations/${first}`, claimOf(project, null, true), V) },
      {
        holds: { [first]: false, [second]: true },
        ask: (r) =>
          r.post('/allocations', { [first]: claimOf(project, 1, false), [second]: claimOf(project, null, true) }, V),
      },
      { holds: { [second]: false }, ask: (r) => r.delete(`/allocations/${second}`, V) },
    ];
    for (const { holds, ask } of plan) {
      const outcome = await outcomeOf(ask);
      if (outcome === 'away') return void (await pause(20));
      steps.push({ holds: new Map(Object.entries(holds)), outcome });
      if (outcome !== 'done' || random() < 0.1) return;
    }
  }

  const writer = async (): Promise<void> => {
    while (goOn) await consume();
  };

  /** What a consumer holds at a replica: all that a claim asks for, or nothing; anything between fails. */
  async function holds(replica: ApiClient, consumer: string): Promise<boolean> {
    const { status, body } = await replica.get(`/allocations/${consumer}`, V);
    expect(status).toBe(200);
    const held = Object.entries(body.allocations as Record<string, { resources: object }>);
    if (held.length === 0) return false;
    expect(Object.fromEntries(held.map(([p, a]) => [p, a.resources]))).toEqual(
      Object.fromEntries(providers.map((p) => [p, { VCPU: UNITS }])),
    );
    return true;
  }

  async function usedOf(replica: ApiClient, provider: string): Promise<number> {
    return (await replica.get(`/resource_providers/${provider}/usages`, V)).body.usages.VCPU;
  }

  it('lose no acknowledged claim, double none, and never exceed the capacity', async () => {
    const load = Promise.all(Array.from({ length: WRITERS }, writer));
    load.catch(() => (goOn = false));
    const names = cloud.processes('placement').map((p) => p.name);
    try {
      for (let kill = 0; kill < KILLS && goOn; kill++) {
        const name = names[kill % names.length] as string;
        await pause(300 + random() * 700);
        await cloud.kill(name);
        await pause(random() * 500);
        await cloud.launch(name);
        await cloud.ready([name]);
      }
    } finally {
      goOn = false;
      await load;
    }
    /** Consumer → what it may hold by now. */
    const may = new Map<string, Set<boolean>>();
    for (const { holds: after, outcome } of steps)
      for (const [consumer, held] of after) {
        const before = may.get(consumer) ?? new Set([false]);
        may.set(consumer, outcome === 'refused' ? before : new Set([...(outcome === 'done' ? [] : before), held]));
      }
    const of = (outcome: Outcome): number => steps.filter((s) => s.outcome === outcome).length;
    console.log(`${of('done')} done, ${of('refused')} refused, ${of('unknown')} without an answer`);
    expect(of('done')).toBeGreaterThan(WRITERS);
    let holders = 0;
    for (const [consumer, allowed] of may) {
      const [here, there] = await Promise.all(replicas.map((replica) => holds(replica, consumer)));
      expect({ consumer, here, there, allowed: [...allowed] }).toEqual({
        consumer,
        here: allowed.has(here as boolean) ? here : 'another',
        there: here,
        allowed: [...allowed],
      });
      if (here) holders++;
    }
    // a request over two consumers was done for both or for neither
    const unknown = steps.filter((s) => s.outcome === 'unknown' && s.holds.size > 1);
    for (const { holds: after } of unknown) {
      const done = await Promise.all(
        [...after].map(async ([consumer, held]) => (await holds(replicas[0] as ApiClient, consumer)) === held),
      );
      expect(new Set(done).size).toBe(1);
    }
    for (const replica of replicas)
      for (const provider of providers) expect(await usedOf(replica, provider)).toBe(holders * UNITS);
    expect(holders * UNITS).toBeLessThanOrEqual(TIGHT);
  }, 400_000);
});
