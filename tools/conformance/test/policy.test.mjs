import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openPolicy, release8Policy } from '../lib/release-8.0-policy.mjs';

const apiRules = (policy) =>
  Object.keys(policy)
    .filter((name) => name.startsWith('placement:'))
    .sort();

describe('the rules of release 8.0', () => {
  it('are 33, the same that the open policy opens', () => {
    const rules = apiRules(release8Policy({ newDefaultsAlone: true }));
    assert.equal(rules.length, 33);
    assert.deepEqual(apiRules(openPolicy()), rules);
  });

  it('let the former administrators in until the new ones hold alone', () => {
    const former = (newDefaultsAlone) =>
      release8Policy({ newDefaultsAlone }).system_reader_api.includes('rule:admin_api');
    assert.deepEqual([former(false), former(true)], [true, false]);
  });

  it('refer only to rules that they have', () => {
    const policy = release8Policy({ newDefaultsAlone: false });
    const referred = Object.values(policy).flatMap((check) => [...check.matchAll(/rule:(\w+)/g)].map((m) => m[1]));
    for (const name of referred) assert.ok(name in policy, name);
  });
});
