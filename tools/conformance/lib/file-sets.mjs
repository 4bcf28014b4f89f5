// Which of the suite's files need which configuration of the service. The fixture that a file names decides.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { openPolicy, release8Policy } from './release-8.0-policy.mjs';

/**
 * `fixture`: files that name it are of the set; the first set takes every other file. `policy` and `env` configure the
 * service. `profile`: what the suite's runner calls the configuration.
 */
export const SETS = [
  { name: 'default' },
  {
    name: 'legacy-rbac',
    fixture: 'LegacyRBACPolicyFixture',
    policy: release8Policy({ newDefaultsAlone: false }),
    note: "rules of release 8.0 with the checks before them; today's defaults let no system reader in",
  },
  { name: 'open-policy', fixture: 'OpenPolicyFixture', profile: 'open-policy', policy: openPolicy() },
  {
    name: 'secure-rbac',
    fixture: 'SecureRBACPolicyFixture',
    profile: 'secure-rbac',
    policy: release8Policy({ newDefaultsAlone: true }),
    note: 'rules of release 8.0 alone',
  },
  {
    name: 'cors',
    fixture: 'CORSFixture',
    profile: 'cors',
    env: { FRACTUS_ALLOWED_ORIGIN: 'http://valid.example.com' },
  },
];

/** The suite's files: name, set and number of tests. */
export function readFiles(gabbits) {
  const names = readdirSync(gabbits).filter((name) => name.endsWith('.yaml'));
  return names.sort().map((name) => describeFile(name, readFileSync(join(gabbits, name), 'utf8')));
}

export function describeFile(name, text) {
  const { fixtures, tests } = parse(text, { uniqueKeys: false, merge: true });
  const set = SETS.find(({ fixture }) => fixture !== undefined && (fixtures ?? []).includes(fixture)) ?? SETS[0];
  return { name, set: set.name, tests: tests.length };
}

/**
 * Work for one service each: a set, or a part of one that is large. Files stay in order, the largest jobs come first so
 * that the last to end is small.
 */
export function jobsOf(files, { most = 250 } = {}) {
  const jobs = [];
  for (const set of SETS) {
    const ofSet = files.filter((file) => file.set === set.name);
    const tests = sum(ofSet);
    const share = tests / Math.max(1, Math.ceil(tests / most));
    let part = [];
    for (const file of ofSet) {
      part.push(file);
      if (sum(part) < share && file !== ofSet.at(-1)) continue;
      jobs.push({ set, files: part.map(({ name }) => name), tests: sum(part) });
      part = [];
    }
  }
  return jobs.sort((a, b) => b.tests - a.tests);
}

const sum = (files) => files.reduce((total, { tests }) => total + tests, 0);
