import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addUp, text } from '../lib/report.mjs';

const set = { name: 'default' };
const failure = {
  name: 'wrong',
  status: 'fail',
  why: "AssertionError: '404' not found in ['200']",
  method: 'GET',
  url: '/traits',
  expected: '200',
  got: '404',
  body: '{"errors": []}',
};
const good = { passed: 3, failed: 0, skipped: 0, xfail: 0, failures: [] };

describe('a report', () => {
  it('adds up the jobs of a set on one database', () => {
    const outcome = (database, file) => ({ database, set, report: { files: { [file]: good } } });
    const rows = addUp([outcome('sqlite', 'a.yaml'), outcome('sqlite', 'b.yaml'), outcome('mariadb', 'a.yaml')]);
    assert.deepEqual(
      rows.map(({ database, passed, failed }) => [database, passed, failed]),
      [
        ['sqlite', 6, 0],
        ['mariadb', 3, 0],
      ],
    );
    assert.match(text(rows), /^sqlite +default +6\/6$/m);
    assert.match(text(rows), /\n9 passed, 0 failed$/);
  });

  it('tells what a test asked, what came and why that is wrong', () => {
    const files = { 'a.yaml': { ...good, failed: 1, failures: [failure] } };
    const said = text(addUp([{ database: 'sqlite', set, report: { files } }]));
    for (const part of [
      'FAIL sqlite, default: a.yaml: wrong',
      'GET /traits: expected 200, got 404',
      "'404' not found",
      '{"errors": []}',
    ])
      assert.ok(said.includes(part), part);
    assert.match(said, /\n3 passed, 1 failed$/);
  });

  it('counts what did not run, was skipped or is in the log as failed', () => {
    const failed = (outcome) => addUp([{ database: 'sqlite', set, ...outcome }])[0].failed;
    assert.equal(failed({ error: new Error('it did not start') }), 1);
    assert.equal(failed({ report: { files: { 'a.yaml': { state: 'needs-config', tests: 4 } } } }), 1);
    assert.equal(failed({ report: { files: { 'a.yaml': { ...good, skipped: 2 } } } }), 2);
    assert.equal(failed({ report: { files: { 'a.yaml': good } }, faults: ['{"level":"error"}'] }), 1);
  });
});
