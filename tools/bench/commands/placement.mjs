import { randomUUID } from 'node:crypto';
import { pool } from '../lib/load.mjs';
import { latencies, rate, round } from '../lib/stats.mjs';
import { UsageError } from '../lib/target.mjs';

const PREFIX = 'bench-provider-';
const INVENTORIES = {
  VCPU: { total: 64, allocation_ratio: 4, max_unit: 64 },
  MEMORY_MB: { total: 262144, max_unit: 262144, reserved: 512 },
  DISK_GB: { total: 4000, max_unit: 4000 },
};
const CLAIM = { VCPU: 1, MEMORY_MB: 1024, DISK_GB: 10 };

async function benchProviders(cloud) {
  const all = (await cloud.placement('GET', '/resource_providers')).json().resource_providers;
  return all.filter((p) => p.name.startsWith(PREFIX));
}

/** Brings the number of the bench's own providers to N, each with inventory and two traits. */
export async function providers(cloud, { count, concurrency }) {
  const have = (await benchProviders(cloud)).length;
  const added = Math.max(0, count - have);
  const ms = [];
  const wall = await pool(added, concurrency, async (k) => {
    const i = have + k;
    const start = performance.now();
    const made = (
      await cloud.placement('POST', '/resource_providers', { name: `${PREFIX}${i}`, uuid: randomUUID() })
    ).json();
    const path = `/resource_providers/${made.uuid}`;
    const stocked = await cloud.placement('PUT', `${path}/inventories`, {
      resource_provider_generation: made.generation,
      inventories: INVENTORIES,
    });
    await cloud.placement('PUT', `${path}/traits`, {
      resource_provider_generation: stocked.json().resource_provider_generation,
      traits: ['HW_CPU_X86_AVX2', i % 2 ? 'STORAGE_DISK_SSD' : 'STORAGE_DISK_HDD'],
    });
    ms.push(performance.now() - start);
  });
  return {
    operations: added,
    concurrency,
    providers: have + added,
    providers_per_s: rate(added, wall),
    three_requests: latencies(ms),
  };
}

/** Removes the bench's own providers: the scheduler would be offered them. */
export async function providersClear(cloud, { concurrency }) {
  const all = await benchProviders(cloud);
  const wall = await pool(all.length, concurrency, (i) =>
    cloud.placement('DELETE', `/resource_providers/${all[i].uuid}`, undefined, [404]),
  );
  return { operations: all.length, concurrency, removals_per_s: rate(all.length, wall) };
}

/** N consumers claim on the bench's providers (the first `on` only, if given), C at a time; then all is given back. */
export async function claims(cloud, { count, concurrency, on }) {
  const all = (await benchProviders(cloud)).map((p) => p.uuid);
  if (all.length === 0) throw new UsageError('the bench has no providers of its own yet: run `providers 200` first');
  const targets = on ? all.slice(0, on) : all;
  const consumers = Array.from({ length: count }, () => randomUUID());
  const tally = { ms: [], conflicts: 0, refused: {} };
  const wall = await pool(count, concurrency, (i) =>
    claim(cloud, consumers[i], targets[(i * 7919) % targets.length], tally),
  );
  const overcommitted = on ? await overcommitment(cloud, targets) : undefined;
  const release = [];
  const back = await pool(count, concurrency, async (i) => {
    release.push((await cloud.placement('DELETE', `/allocations/${consumers[i]}`, undefined, [404])).ms);
  });
  const refused = Object.values(tally.refused).reduce((a, b) => a + b, 0);
  return {
    operations: count,
    concurrency,
    providers: targets.length,
    claims_per_s: rate(count - refused, wall),
    wall_s: round(wall / 1000),
    conflicts: tally.conflicts,
    ...(refused && { refused: tally.refused }),
    ...(overcommitted && { overcommitted }),
    put: latencies(tally.ms),
    releases_per_s: rate(count, back),
    release: latencies(release),
  };
}

async function claim(cloud, consumer, provider, tally) {
  const body = {
    allocations: { [provider]: { resources: CLAIM } },
    consumer_generation: null,
    project_id: cloud.projectId,
    user_id: cloud.userId,
    consumer_type: 'INSTANCE',
  };
  for (let tries = 0; tries < 20; tries++) {
    const answer = await cloud.placement('PUT', `/allocations/${consumer}`, body, [400, 403, 409, 500, 503]);
    tally.ms.push(answer.ms);
    if (answer.status < 400) return;
    const full = answer.status === 409 && !/concurrent|generation/i.test(answer.text);
    if (answer.status !== 409 || full)
      return void (tally.refused[answer.status] = (tally.refused[answer.status] ?? 0) + 1);
    tally.conflicts++;
  }
  tally.refused['20 conflicts'] = (tally.refused['20 conflicts'] ?? 0) + 1;
}

/** Inventories that hold more than their capacity; an empty list is what one wants to see. */
async function overcommitment(cloud, uuids) {
  const over = [];
  for (const uuid of uuids) {
    const { inventories } = (await cloud.placement('GET', `/resource_providers/${uuid}/inventories`)).json();
    const { usages } = (await cloud.placement('GET', `/resource_providers/${uuid}/usages`)).json();
    for (const [name, { total, reserved, allocation_ratio: ratio }] of Object.entries(inventories)) {
      const capacity = Math.floor((total - reserved) * ratio);
      if (usages[name] > capacity) over.push(`${name} of ${uuid}: ${usages[name]} of ${capacity}`);
    }
  }
  return over;
}
