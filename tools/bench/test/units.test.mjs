import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { attribute, CpuMeter, difference, parsePids, parsePsTime, parseStat, readPidFile } from '../lib/cpu.mjs';
import { pool, repeat, until } from '../lib/load.mjs';
import { createProgram } from '../lib/program.mjs';
import { result, text } from '../lib/report.mjs';
import { latencies, quantile, rate, seconds } from '../lib/stats.mjs';
import { defaultPidFile, readTarget, UsageError } from '../lib/target.mjs';

describe('statistics', () => {
  it('takes quantiles by nearest rank, whatever the order', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    assert.equal(quantile(values, 0.5), 50);
    assert.equal(quantile(values, 0.95), 95);
    assert.equal(quantile(values, 1), 100);
    assert.equal(quantile([7], 0.05), 7);
    assert.equal(quantile([1, 2], 0.5), 1);
    assert.equal(quantile([], 0.5), null);
  });

  it('says null rather than a wrong figure', () => {
    assert.deepEqual(latencies([]), { n: 0, p50_ms: null, p95_ms: null, max_ms: null });
    assert.equal(rate(5, 0), null);
    assert.equal(rate(5, 2500), 2);
    assert.equal(seconds(null), null);
    assert.equal(seconds(1234), 1.23);
  });

  it('does not sort 9 after 10', () => assert.equal(quantile([10, 9, 100], 0.5), 10));
});

describe('load', () => {
  it('runs each once and never more at a time than allowed', async () => {
    const seen = [];
    let running = 0;
    let most = 0;
    await pool(25, 4, async (i) => {
      most = Math.max(most, ++running);
      await setImmediate();
      seen.push(i);
      running--;
    });
    assert.deepEqual(
      seen.sort((a, b) => a - b),
      Array.from({ length: 25 }, (_, i) => i),
    );
    assert.equal(most, 4);
  });

  it('stops repeating when the budget is spent, but not before five', async () => {
    const { ms } = await repeat(100, async () => ({ ms: 1 }), -1);
    assert.equal(ms.length, 5);
  });

  it('asks until it is so, or gives up', async () => {
    let asked = 0;
    assert.equal(await until(async () => ++asked === 2, performance.now() + 60_000), true);
    assert.equal(await until(async () => false, performance.now() - 1), false);
  });
});

describe('CPU of the servers', () => {
  it('reads /proc/<pid>/stat though the command holds brackets', () => {
    const stat = '42 (a (b) c) S 7 1 1 0 -1 4194304 9 9 9 9 250 50 1 2 20 0 1 0 9';
    assert.deepEqual(parseStat(stat), { parent: 7, seconds: 3 });
  });

  it('reads the times of ps', () => {
    assert.equal(parsePsTime('0:01.50'), 1.5);
    assert.equal(parsePsTime('01:02:03'), 3723);
    assert.equal(parsePsTime('2-00:00:01'), 172801);
  });

  it('counts descendants for their named ancestor, once', () => {
    const all = new Map([
      [1, { parent: 0, seconds: 100 }],
      [10, { parent: 1, seconds: 1 }],
      [11, { parent: 10, seconds: 2 }],
      [12, { parent: 11, seconds: 4 }],
      [20, { parent: 1, seconds: 8 }],
    ]);
    const before = attribute({ api: 10, conductor: 12 }, all);
    assert.deepEqual(difference({ api: new Map(), conductor: new Map() }, before), {
      total: 7,
      by: { api: 3, conductor: 4 },
    });
    all.set(13, { parent: 10, seconds: 0.5 }); // a worker that came meanwhile
    assert.deepEqual(difference(before, attribute({ api: 10, conductor: 12 }, all)).by, { api: 0.5, conductor: 0 });
  });

  it('takes ids with and without names, and refuses what is none', () => {
    assert.deepEqual(parsePids('api=1, 22'), { api: 1, 22: 22 });
    assert.throws(() => parsePids('api=x'), UsageError);
    assert.throws(() => parsePids(''), UsageError);
  });

  it('reads pids.json and plain pid files', () => {
    const dir = mkdtempSync(join(tmpdir(), 'bench-'));
    const write = (name, content) => (writeFileSync(join(dir, name), content), join(dir, name));
    assert.deepEqual(readPidFile(write('pids.json', '{"cloud": 5}')), { cloud: 5 });
    assert.deepEqual(readPidFile(write('nova-api.pid', '77\n')), { 'nova-api': 77 });
    assert.throws(() => readPidFile(write('bad.json', '{"cloud": "5"}')), /cloud in .* is not a process id/);
    assert.throws(() => readPidFile(write('bad.txt', 'hello')), UsageError);
    assert.throws(() => readPidFile(join(dir, 'none')), UsageError);
  });

  it('measures this very process, and misses one that is not there', () => {
    const meter = new CpuMeter({ me: process.pid });
    assert.ok(meter.read().by.me >= 0);
    assert.throws(() => new CpuMeter({ gone: 2 ** 30 }), /no such process: gone/);
  });
});

describe('the target', () => {
  const environment = { OS_AUTH_URL: 'http://k/', OS_USERNAME: 'u', OS_PASSWORD: 'p', OS_PROJECT_NAME: 'd' };
  const dir = mkdtempSync(join(tmpdir(), 'bench-'));
  const file = join(dir, 'clouds.yaml');
  const auth = 'auth: {auth_url: "http://f:5000/v3", username: fu, password: fp, project_name: fd}';
  writeFileSync(file, `clouds:\n  one:\n    region_name: R\n    ${auth}\n  two:\n    ${auth}\n`);

  it('is read from the environment', async () => {
    const target = await readTarget(environment);
    assert.equal(target.authUrl, 'http://k/v3');
    assert.equal(target.userDomain, 'Default');
    assert.equal(
      (await readTarget({ ...environment, OS_AUTH_URL: 'http://k/identity/v3' })).authUrl,
      'http://k/identity/v3',
    );
  });

  it('is read from clouds.yaml, with the pids beside it', async () => {
    const target = await readTarget({ OS_CLIENT_CONFIG_FILE: file, OS_CLOUD: 'one' });
    assert.deepEqual([target.authUrl, target.username, target.region], ['http://f:5000/v3', 'fu', 'R']);
    assert.equal(defaultPidFile(target), undefined);
    writeFileSync(join(dir, 'pids.json'), '{}');
    assert.equal(defaultPidFile(target), join(dir, 'pids.json'));
  });

  it('says what is missing', async () => {
    await assert.rejects(readTarget({ ...environment, OS_PASSWORD: '' }), /OS_PASSWORD is not set/);
    await assert.rejects(readTarget({ OS_CLIENT_CONFIG_FILE: file }), /OS_CLOUD is not set; .* has one, two/);
    await assert.rejects(readTarget({ OS_CLIENT_CONFIG_FILE: file, OS_CLOUD: 'three' }), /has no cloud three/);
    await assert.rejects(readTarget({ OS_CLIENT_CONFIG_FILE: '/nowhere' }), /does not exist/);
  });
});

describe('the command line', () => {
  async function parse(...args) {
    let got;
    const program = createProgram(async (command, options) => (got = { name: command.name, ...options }));
    const quiet = { writeErr: () => undefined, writeOut: () => undefined };
    for (const c of [program, ...program.commands]) c.exitOverride().configureOutput(quiet);
    await program.parseAsync(args, { from: 'user' });
    return got;
  }

  it('knows every command that the comparison needs', () => {
    const names = createProgram(() => undefined).commands.map((c) => c.name());
    for (const name of [
      'auth',
      'boot',
      'latency',
      'delete-all',
      'list',
      'show',
      'detail',
      'hypervisors',
      'candidates',
      'claims',
    ]) {
      assert.ok(names.includes(name), name);
    }
  });

  it('takes counts, and global options before or after the command', async () => {
    const boot = await parse('boot', '100', '20', '--json', '--network', 'auto', '--timeout', '5');
    assert.deepEqual(
      [boot.name, boot.count, boot.concurrency, boot.json, boot.network, boot.timeoutMs],
      ['boot', 100, 20, true, 'auto', 5000],
    );
    const auth = await parse('--pid-file', 'a', '--pid-file', 'b', 'auth', '7');
    assert.deepEqual([auth.pidFile, auth.count, auth.flavor, auth.timeoutMs], [['a', 'b'], 7, 'm1.tiny', 900_000]);
    assert.equal((await parse('boot', '3')).concurrency, 10);
    assert.equal((await parse('claims', '10', '2', '--on', '3')).on, 3);
    assert.deepEqual((await parse('delete-all', '4')).concurrency, 4);
  });

  it('refuses nonsense', async () => {
    for (const args of [
      ['boot'],
      ['boot', '0'],
      ['boot', '1.5'],
      ['boot', '5', '-1'],
      ['fly'],
      ['list', '--compute-version', 'latest'],
      ['boot', '1', '2', '3'],
    ]) {
      await assert.rejects(parse(...args), { name: 'CommanderError' }, args.join(' '));
    }
  });
});

describe('the report', () => {
  it('gives CPU seconds per operation where there are servers to measure', () => {
    const measured = { wallMs: 2000, client: 0.5, cpu: { total: 10, by: { api: 7, db: 3 } } };
    const report = result('boot', { operations: 100, post: { p50_ms: 3 } }, measured);
    assert.equal(report.cpu_s_per_operation, 0.1);
    assert.deepEqual(report.cpu_s_by, { api: 7, db: 3 });
    assert.ok(!('cpu_s' in result('boot', { operations: 1 }, { wallMs: 1, client: 0 })));
    assert.equal(result('boot', { operations: 0 }, measured).cpu_s_per_operation, null);
    assert.match(text(report), /^post +p50_ms 3$/m);
  });
});
