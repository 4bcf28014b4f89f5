#!/usr/bin/env node
// Asks our scheduler and upstream's (Debian's python3-nova) the same: every filter that both have, weights, request groups
// of flavors and images, request filters. Where they differ otherwise than docs/compatibility.md says, prints it.
//
//   npm run differential -- [--runs 2000] [--seed N] [--only ComputeFilter…] [--python /usr/bin/python3]
//
// Ends with `N passed, N failed`, or with `skipped: …` where there is no python3-nova. Exit codes: 0 all passed or skipped,
// 1 some failed, 2 the question could not be put.
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { isDeepStrictEqual } from 'node:util';
import { BASE } from './lib/arbitraries.mjs';
import { sample, SUBJECTS } from './lib/cases.mjs';
import { compare } from './lib/compare.mjs';
import { loadOurs } from './lib/ours.mjs';
import { askUpstream, findNova } from './lib/upstream.mjs';

const SHOWN = 3;

/** A case without what is as in every other. */
function short(value, base = BASE) {
  if (Array.isArray(value)) return value.map((v) => short(v, base));
  if (typeof value !== 'object' || value === null) return value;
  const told = Object.entries(value).filter(([key, v]) => !isDeepStrictEqual(v, base[key]));
  return Object.fromEntries(told.map(([key, v]) => [key, short(v, base[key] ?? base[OF_PLURAL[key]] ?? {})]));
}
const OF_PLURAL = { hosts: 'host' };

const program = new Command('differential')
  .option('--runs <n>', 'cases of each subject', (n) => Number.parseInt(n, 10), 2000)
  .option('--seed <n>', 'which cases; drawn when not given', (n) => Number.parseInt(n, 10), randomInt(2 ** 31))
  .option('--only <subjects...>', `some of ${[...SUBJECTS.keys()].join(', ')}`)
  .option('--python <path>', 'the Python that has nova')
  .parse();
const { runs, seed, only = [...SUBJECTS.keys()], python } = program.opts();
const unknown = only.filter((s) => !SUBJECTS.has(s));
if (unknown.length > 0) program.error(`unknown: ${unknown.join(', ')}`, { exitCode: 2 });

const nova = findNova(python);
if (!nova) {
  console.log('skipped: python3-nova is not installed (apt-get install -y --no-install-recommends python3-nova)');
  process.exit(0);
}

const cases = only.flatMap((subject) => sample(subject, runs, seed));
const ours = await loadOurs();
const theirs = await askUpstream(nova, cases).catch((e) => {
  console.error(e.message);
  process.exit(2);
});

const tally = new Map(only.map((s) => [s, { same: 0, differing: [], listed: new Map() }]));
cases.forEach((theCase, i) => {
  const answer = ours.answer(theCase);
  const entry = tally.get(theCase.name);
  const { verdict, row } = compare(theCase, answer, theirs[i]);
  if (verdict === 'same') entry.same++;
  else if (verdict === 'listed') entry.listed.set(row, (entry.listed.get(row) ?? 0) + 1);
  else entry.differing.push({ theCase, ours: answer, theirs: theirs[i] });
});

let [passed, failed] = [0, 0];
for (const [subject, { same, differing, listed }] of tally) {
  const known = [...listed.values()].reduce((a, b) => a + b, 0);
  passed += same + known;
  failed += differing.length;
  console.log(`${subject}: ${same} the same${known ? `, ${known} as listed` : ''}, ${differing.length} not`);
  for (const [row, count] of listed) console.log(`  ${count} × ${row}`);
  const shortest = differing.map((d) => [JSON.stringify(short(d.theCase)), d]).sort(([a], [b]) => a.length - b.length);
  for (const [text, d] of shortest.slice(0, SHOWN))
    console.log(`  ours ${JSON.stringify(d.ours)}, theirs ${JSON.stringify(d.theirs)} for\n    ${text}`);
}
console.log(`seed ${seed}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
