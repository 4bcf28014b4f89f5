import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeFile, jobsOf } from '../lib/file-sets.mjs';

const file = (fixtures, tests) =>
  `fixtures:\n${fixtures.map((f) => `    - ${f}\n`).join('')}\ndefaults: &d\n  request_headers: {accept: application/json}\ntests:\n${Array.from({ length: tests }, (_, i) => `- name: t${i}\n  GET: /\n  <<: *d\n`).join('')}`;

describe('files', () => {
  it('are put into the set that their fixture asks for', () => {
    const set = (...fixtures) => describeFile('a.yaml', file(fixtures, 2)).set;
    assert.equal(set('APIFixture'), 'default');
    assert.equal(set('GranularFixture'), 'default');
    assert.equal(set('LegacyRBACPolicyFixture'), 'legacy-rbac');
    assert.equal(set('SecureRBACPolicyFixture'), 'secure-rbac');
    assert.equal(set('OpenPolicyFixture'), 'open-policy');
    assert.equal(set('CORSFixture'), 'cors');
  });

  it('are counted by their tests', () => {
    assert.equal(describeFile('a.yaml', file(['APIFixture'], 7)).tests, 7);
  });
});

describe('jobs', () => {
  const files = [
    ...Array.from({ length: 10 }, (_, i) => ({ name: `d${i}`, set: 'default', tests: 60 })),
    { name: 'c', set: 'cors', tests: 4 },
    { name: 's', set: 'secure-rbac', tests: 187 },
  ];

  it('have every file once and none of another set', () => {
    const jobs = jobsOf(files);
    assert.deepEqual(jobs.flatMap((job) => job.files).sort(), files.map(({ name }) => name).sort());
    for (const job of jobs)
      for (const name of job.files) assert.equal(files.find((f) => f.name === name).set, job.set.name);
  });

  it('share a large set, the largest first', () => {
    const jobs = jobsOf(files);
    assert.equal(jobs.filter((job) => job.set.name === 'default').length, 3);
    assert.deepEqual(
      jobs.map((job) => job.tests),
      [240, 240, 187, 120, 4],
    );
  });
});
