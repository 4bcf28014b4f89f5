import { setTimeout as rest } from 'node:timers/promises';
import { pool, until } from '../lib/load.mjs';
import { latencies, quantile, rate, round, seconds } from '../lib/stats.mjs';

/** Answers of POST /servers that are counted rather than fatal: the cloud is full, busy, or out of quota. */
const REFUSALS = [400, 403, 409, 413, 429, 500, 503, 504];

/** N servers, C requests at a time, until all have left BUILD. */
export async function boot(cloud, { count, concurrency, timeoutMs, prefix }) {
  const template = await cloud.serverTemplate();
  const run = `${prefix}-${Date.now().toString(36)}`;
  const watch = new Watch(cloud, run);
  const posts = [];
  const refused = {};
  const start = performance.now();
  let posting = true;
  const watching = until(async () => (await watch.look()) && !posting && watch.settled(), start + timeoutMs);
  const posted = pool(count, concurrency, async (i) => {
    const sent = performance.now();
    const answer = await cloud.compute('POST', '/servers', { server: { ...template, name: `${run}-${i}` } }, REFUSALS);
    if (answer.status >= 400) return void (refused[answer.status] = (refused[answer.status] ?? 0) + 1);
    posts.push(answer.ms);
    watch.expect(answer.json().server.id, sent);
  }).finally(() => (posting = false));
  const [postMs] = await Promise.all([posted, watching]);
  const wall = performance.now() - start;
  const { active, errors, unfinished } = watch.result();
  return {
    operations: posts.length,
    concurrency,
    servers_per_s: rate(active.length, wall),
    wall_s: round(wall / 1000),
    active: active.length,
    error: errors,
    unfinished,
    ...(Object.keys(refused).length && { refused }),
    time_to_active_p50_s: seconds(quantile(active, 0.5)),
    time_to_active_p95_s: seconds(quantile(active, 0.95)),
    post: latencies(posts),
    posts_per_s: rate(posts.length, postMs),
    looks: watch.looks,
  };
}

/** Which of our servers have become ACTIVE or ERROR, seen through the list. */
class Watch {
  sent = new Map();
  done = new Map();
  looks = 0;
  lastErrorLook = performance.now();

  constructor(cloud, name) {
    this.cloud = cloud;
    this.name = name;
  }

  expect(id, sentAt) {
    this.sent.set(id, sentAt);
  }

  settled() {
    return [...this.sent.keys()].every((id) => this.done.has(id));
  }

  /** Always true, so that it reads well in a condition. */
  async look() {
    await this.note('ACTIVE');
    if (performance.now() - this.lastErrorLook > 2000) {
      await this.note('ERROR');
      this.lastErrorLook = performance.now();
    }
    return true;
  }

  async note(status) {
    this.looks++;
    const now = () => performance.now();
    for (const { id } of await this.cloud.servers(`&status=${status}&name=${this.name}`)) {
      if (!this.done.has(id)) this.done.set(id, status === 'ACTIVE' ? now() : NaN);
    }
  }

  result() {
    const ended = [...this.sent].filter(([id]) => this.done.has(id)).map(([id, sent]) => this.done.get(id) - sent);
    const active = ended.filter((ms) => !Number.isNaN(ms));
    return { active, errors: ended.length - active.length, unfinished: this.sent.size - ended.length };
  }
}

/** N servers one after the other, each watched by its own GET until ACTIVE. */
export async function latency(cloud, { count, timeoutMs, prefix }) {
  const template = await cloud.serverTemplate();
  const toActive = [];
  const posts = [];
  let errors = 0;
  const deadline = performance.now() + timeoutMs;
  for (let i = 0; i < count; i++) {
    const sent = performance.now();
    const answer = await cloud.compute('POST', '/servers', { server: { ...template, name: `${prefix}-latency-${i}` } });
    posts.push(answer.ms);
    const status = await waitForServer(cloud, answer.json().server.id, deadline);
    if (status === 'ACTIVE') toActive.push(performance.now() - sent);
    else errors++;
  }
  return { operations: count, error: errors, time_to_active: latencies(toActive), post: latencies(posts) };
}

async function waitForServer(cloud, id, deadline) {
  for (;;) {
    const { ms, json } = await cloud.compute('GET', `/servers/${id}`);
    const { status } = json().server;
    if (status !== 'BUILD' || performance.now() > deadline) return status;
    await rest(Math.max(20, ms));
  }
}

/** Brings the number of servers to N by multi-create, to prepare the list commands. */
export async function fill(cloud, { count, timeoutMs, prefix }) {
  const template = await cloud.serverTemplate();
  const had = (await cloud.servers()).length;
  const start = performance.now();
  const building = async (below) => (await cloud.servers('&status=BUILD')).length < below;
  for (let have = had; have < count; have += 50) {
    const n = Math.min(50, count - have);
    await cloud.compute('POST', '/servers', {
      server: { ...template, name: `${prefix}-fill`, min_count: n, max_count: n },
    });
    await until(() => building(100), start + timeoutMs);
  }
  await until(() => building(1), start + timeoutMs);
  const wall = performance.now() - start;
  const operations = Math.max(0, count - had);
  return {
    operations,
    had,
    active: (await cloud.servers('&status=ACTIVE')).length,
    servers_per_s: rate(operations, wall),
  };
}

/** Deletes every server of the project and waits until all are gone. */
export async function deleteAll(cloud, { concurrency, timeoutMs }) {
  const all = await cloud.servers();
  const ms = [];
  const start = performance.now();
  const requests = await pool(all.length, concurrency, async (i) => {
    ms.push((await cloud.compute('DELETE', `/servers/${all[i].id}`, undefined, [404, 409])).ms);
  });
  let left = all.length;
  await until(async () => (left = (await cloud.servers()).length) === 0, start + timeoutMs);
  const wall = performance.now() - start;
  return {
    operations: all.length - left,
    concurrency,
    deletes_per_s: rate(all.length - left, wall),
    wall_s: round(wall / 1000),
    requests_per_s: rate(all.length, requests),
    left,
    delete: latencies(ms),
  };
}
