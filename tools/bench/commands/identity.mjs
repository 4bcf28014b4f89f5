import { latencies, rate } from '../lib/stats.mjs';
import { pool } from '../lib/load.mjs';

/** N password logins, C at a time. */
export async function auth(cloud, { count, concurrency }) {
  const ms = [];
  const wall = await pool(count, concurrency, async () => void ms.push((await cloud.login()).ms));
  return { operations: count, concurrency, logins_per_s: rate(count, wall), login: latencies(ms) };
}
