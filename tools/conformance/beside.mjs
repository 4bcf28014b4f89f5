#!/usr/bin/env node
// Asks our Placement and upstream's (Debian's python3-placement, release 8.0) the same in every microversion and path, and
// prints where they answer otherwise than docs/compatibility.md says:
//
//   node tools/conformance/beside.mjs [--suite FOLDER]
//
// Ends with `N passed, N failed`. Exit codes as placement.mjs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Command } from 'commander';
import { root } from '../start/checks.mjs';
import { comparable } from './lib/compare.mjs';
import { build, startPlacement } from './lib/placement-service.mjs';
import { findPython, findSuite, Missing } from './lib/suite.mjs';
import { furnish, reads, VERSIONS, writes } from './lib/walk.mjs';

const SHOWN = 20;

async function call(url, { method, path, version, body }) {
  const response = await fetch(url + path, {
    method,
    headers: {
      'x-auth-token': 'admin',
      'openstack-api-version': `placement ${version}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const headers = Object.fromEntries(response.headers);
  const isJson = text !== '' && headers['content-type']?.startsWith('application/json');
  return { status: response.status, headers, body: isJson ? JSON.parse(text) : text };
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Upstream's service, as the suite's folder starts it. */
async function startReference(suite, folder) {
  const python = findPython('placement', 'apt-get install -y --no-install-recommends python3-placement');
  const url = `http://127.0.0.1:${await freePort()}`;
  const script = join(suite.folder, 'serve_reference.py');
  const args = [script, '--port', new URL(url).port, '--dir', join(folder, 'reference'), '--server', 'wsgiref'];
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore' };
  const child = spawn(python, args, { env, stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = once(child, 'close');
  for (let left = 600; left > 0 && child.exitCode === null; left--) {
    if (
      await fetch(url).then(
        (r) => r.ok,
        () => false,
      )
    )
      return { url, stop: () => (child.kill('SIGTERM'), ended) };
    await sleep(100);
  }
  throw new Error('upstream’s placement does not answer');
}

async function walk(ours, theirs) {
  const differ = [];
  let same = 0;
  const compare = async (asked) => {
    const generations = new Map();
    const isMade = typeof asked.body === 'function';
    for (const uuid of isMade ? uuidsOf(asked.body) : []) {
      // both have had the same changes: their generations are the same, or this step shows that they are not
      const { body } = await call(theirs, { method: 'GET', path: `/resource_providers/${uuid}`, version: '1.39' });
      generations.set(uuid, body.generation ?? 0);
    }
    const request = { ...asked, body: isMade ? asked.body((uuid) => generations.get(uuid)) : asked.body };
    const [a, b] = await Promise.all([call(theirs, request), call(ours, request)]);
    const [upstream, here] = [comparable(request, a, theirs), comparable(request, b, ours)];
    if (isDeepStrictEqual(upstream, here)) same++;
    else differ.push({ request, upstream, here });
  };
  for (const asked of furnish()) await compare(asked);
  for (const version of VERSIONS) for (const asked of reads(version)) await compare(asked);
  for (const [n, version] of VERSIONS.entries()) for (const asked of writes(version, n)) await compare(asked);
  return { same, differ };
}

/** Which providers a body asks the generation of. */
function uuidsOf(body) {
  const asked = [];
  body((uuid) => (asked.push(uuid), 0));
  return asked;
}

async function main({ suite: given }) {
  const suite = findSuite(given);
  const folder = mkdtempSync(join(tmpdir(), 'fractus-beside-'));
  const reference = await startReference(suite, folder);
  build();
  const ours = await startPlacement({ folder, databaseUrl: `sqlite:${join(folder, 'placement.db')}` });
  let result;
  try {
    result = await walk(ours.url, reference.url);
  } finally {
    await Promise.all([ours.stop(), reference.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
  for (const { request, upstream, here } of result.differ.slice(0, SHOWN)) {
    const { method, path, version, body } = request;
    console.log(`FAIL ${version} ${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`);
    for (const [who, answer] of Object.entries({ upstream, here }))
      console.log(`     ${who.padEnd(8)} ${JSON.stringify(answer).slice(0, 1000)}`);
  }
  if (result.differ.length > SHOWN) console.log(`and ${result.differ.length - SHOWN} more`);
  console.log(`${result.same} passed, ${result.differ.length} failed`);
  return result.differ.length > 0 ? 1 : 0;
}

const program = new Command('beside')
  .option(
    '--suite <folder>',
    'folder of the suite, which starts upstream’s',
    join(root, '../shared/conformance/placement'),
  )
  .exitOverride((e) => process.exit(e.exitCode === 0 ? 0 : 2));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
try {
  process.exitCode = await main(program.parse().opts());
} catch (e) {
  console.error(`beside: ${e instanceof Missing ? e.message : (e.stack ?? e)}`);
  process.exitCode = e instanceof Missing ? e.code : 1;
}
