// The tool itself: what it takes for the same, that what it passes over is written down, and that it asks of every filter.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { sample, SUBJECTS } from '../lib/cases.mjs';
import { compare, LISTED } from '../lib/compare.mjs';
import { OUR_NAME } from '../lib/filter-cases.mjs';
import { loadOurs } from '../lib/ours.mjs';
import { findNova } from '../lib/upstream.mjs';

const root = resolve(import.meta.dirname, '../../..');
const ours = await loadOurs();

test('what is passed over has a row in docs/compatibility.md', () => {
  const page = readFileSync(resolve(root, 'docs/compatibility.md'), 'utf8');
  assert.deepEqual(
    LISTED.map((l) => l.row).filter((row) => !page.includes(`\n| ${row} |`)),
    [],
  );
});

test('a difference is one, whatever its form', () => {
  const asked = { kind: 'filter', name: 'ComputeFilter' };
  assert.equal(compare(asked, true, { answer: true }).verdict, 'same');
  assert.equal(compare(asked, true, { answer: false }).verdict, 'differs');
  assert.equal(compare(asked, false, { error: 'ValueError' }).verdict, 'differs');
  assert.equal(compare({ kind: 'weights' }, { c1: 0.1 + 0.2 }, { answer: { c1: 0.3 } }).verdict, 'same');
  assert.equal(compare({ kind: 'weights' }, { c1: 0.3 }, { answer: { c1: 0.3001 } }).verdict, 'differs');
  assert.equal(compare({ kind: 'weights' }, { c1: 0 }, { answer: { c1: 0, c2: 0 } }).verdict, 'differs');
});

test('every filter is asked but those of ours alone', () => {
  const asked = [...SUBJECTS.keys()].map((name) => OUR_NAME[name] ?? name);
  assert.deepEqual(
    ours.filterNames.filter((name) => !asked.includes(name)),
    ['RequestedDestination', 'ExcludedHosts'],
  );
});

test('filters are asked both what passes and what does not', () => {
  const filters = [...SUBJECTS.keys()].filter((s) => sample(s, 1, 1)[0].kind === 'filter' && s !== 'AllHostsFilter');
  const onesided = filters.filter((s) => new Set(sample(s, 300, 1).map((c) => ours.answer(c))).size < 2);
  assert.deepEqual(onesided, []);
});

test('both schedulers say the same', (t) => {
  if (!findNova()) return t.skip('python3-nova is not installed');
  const command = [resolve(root, 'tools/differential/differential.mjs'), '--runs', '150', '--seed', '1'];
  const { status, stdout } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
  assert.match(stdout, /\n\d+ passed, 0 failed\n$/);
});

test('without nova it says so and is content', () => {
  const command = [resolve(root, 'tools/differential/differential.mjs'), '--python', '/nowhere/python3'];
  const { status, stdout } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  assert.equal(status, 0);
  assert.match(stdout, /^skipped: python3-nova is not installed/);
});
