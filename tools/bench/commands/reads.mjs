import { pool, repeat } from '../lib/load.mjs';
import { latencies, rate } from '../lib/stats.mjs';
import { UsageError } from '../lib/target.mjs';

/** N times the same GET, C at a time; what it returned last, and how many bytes. */
async function gets(send, { count, concurrency }) {
  const ms = [];
  let last;
  const wall = await pool(count, concurrency, async (i) => {
    last = await send(i);
    ms.push(last.ms);
  });
  return {
    last,
    figures: {
      operations: count,
      concurrency,
      requests_per_s: rate(count, wall),
      ...latencies(ms),
      bytes: last.text.length,
    },
  };
}

/** GET /servers, a full page. */
export async function list(cloud, options) {
  const { last, figures } = await gets(() => cloud.compute('GET', '/servers?limit=1000'), options);
  return { ...figures, servers: last.json().servers.length };
}

/** GET /servers/detail, a full page. */
export async function detail(cloud, options) {
  const { last, figures } = await gets(() => cloud.compute('GET', '/servers/detail?limit=1000'), options);
  return { ...figures, servers: last.json().servers.length };
}

/** GET /servers/{id}, going round all servers. */
export async function show(cloud, options) {
  const ids = (await cloud.servers()).map((s) => s.id);
  if (ids.length === 0) throw new UsageError('there is no server to show: run boot or fill first');
  const { figures } = await gets((i) => cloud.compute('GET', `/servers/${ids[(i * 7) % ids.length]}`), options);
  return { ...figures, servers: ids.length };
}

/** GET /os-hypervisors/detail. */
export async function hypervisors(cloud, options) {
  const { last, figures } = await gets(() => cloud.compute('GET', '/os-hypervisors/detail'), options);
  return { ...figures, hypervisors: last.json().hypervisors.length };
}

const CANDIDATES = '/allocation_candidates?resources=VCPU:2,MEMORY_MB:2048,DISK_GB:20';

/** GET /allocation_candidates: plain with a limit, with a trait, without a limit, and eight at a time. */
export async function candidates(cloud, { count }) {
  const out = {
    operations: 0,
    providers: (await cloud.placement('GET', '/resource_providers')).json().resource_providers.length,
  };
  const queries = { limit_100: '&limit=100', limit_100_trait: '&limit=100&required=STORAGE_DISK_SSD', no_limit: '' };
  for (const [name, query] of Object.entries(queries)) {
    const { ms, last } = await repeat(count, () => cloud.placement('GET', CANDIDATES + query));
    out[name] = { ...latencies(ms), candidates: last.json().allocation_requests.length, bytes: last.text.length };
    out.operations += ms.length;
  }
  const { figures } = await gets(() => cloud.placement('GET', `${CANDIDATES}&limit=100`), {
    count: count * 2,
    concurrency: 8,
  });
  out.operations += figures.operations;
  return { ...out, limit_100_by_8: figures };
}
