/** Walks every operation that the Compute API declares, and fails where a rule, a validation or a story is missing. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { computeOperations } from '@fractus/testing';
import { computeRules } from '@fractus/policy';

/** What lacks something on purpose, and why. */
const NO_POLICY: Readonly<Record<string, string>> = {
  'GET /flavors': 'whoever has a token sees public flavors; upstream has no rule',
  'GET /flavors/detail': 'as the brief list',
  'GET /flavors/{id}': 'as the lists',
};
const NO_STORY: Readonly<Record<string, string>> = {
  'POST /os-aggregates/{id}/images': 'answers 400: no driver caches images ahead of need; its own unit tests say so',
};
/** Operations whose body upstream does not look at, or whose query has no schema. */
const NO_VALIDATION: Readonly<Record<string, string>> = {
  'GET /os-hypervisors/statistics': 'takes neither body nor query in any version that has it',
  'GET /os-hypervisors/{id}/uptime': 'as statistics',
  'GET /os-hypervisors/{id}/search': 'as statistics',
  'GET /os-hypervisors/{id}/servers': 'as statistics',
};

const operations = computeOperations();

function covered(folder: string): Set<string> {
  const found = new Set<string>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.name.endsWith('.spec.ts') || entry.name === 'coverage.spec.ts') continue;
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    const [, list = ''] = text.split(/\bcovers\(/);
    for (const [, name = ''] of list.matchAll(/'([A-Z]+ \/[^']*)'/g)) found.add(name);
    // the server actions are named by their keys alone
    if (list.includes('`POST /servers/{server_id}/action ${'))
      for (const [, key = ''] of list.matchAll(/'([a-z-]+)'/g)) found.add(`POST /servers/{server_id}/action ${key}`);
  }
  return found;
}

describe('every operation of the Compute API', () => {
  it('is named once', () => {
    const names = operations.map((o) => o.name);
    expect(names.filter((n, i) => names.indexOf(n) !== i)).toEqual([]);
    expect(names.length).toBeGreaterThan(50);
  });

  it('checks a policy rule that exists', () => {
    const known = new Set<string>(computeRules.map((r) => r.name));
    const rules = ({ spec: { policy, policies = [] } }: (typeof operations)[number]): string[] => [
      ...(policy ? [typeof policy === 'string' ? policy : policy.rule] : []),
      ...policies,
    ];
    const bare = operations.filter((o) => o.spec.policy == null && rules(o).length === 0).map((o) => o.name);
    const open = operations.filter((o) => o.spec.policy === null).map((o) => o.name);
    expect(bare.filter((n) => !(n in NO_POLICY))).toEqual([]);
    expect(open.filter((n) => !(n in NO_POLICY))).toEqual([]);
    expect(operations.flatMap(rules).filter((r) => !known.has(r))).toEqual([]);
  });

  it('validates what it is sent', () => {
    const lacking = operations.filter(({ name, spec }) => {
      const method = name.split(' ')[0];
      return method === 'GET' ? !spec.query : method !== 'DELETE' && !spec.body;
    });
    expect(lacking.map((o) => o.name).filter((n) => !(n in NO_VALIDATION))).toEqual([]);
  });

  it('is told of in a story', () => {
    const told = covered(__dirname);
    expect(operations.map((o) => o.name).filter((n) => !told.has(n) && !(n in NO_STORY))).toEqual([]);
  });

  it('has no exception that is none', () => {
    const names = new Set(operations.map((o) => o.name));
    const told = covered(__dirname);
    expect([NO_POLICY, NO_STORY, NO_VALIDATION].flatMap((e) => Object.keys(e)).filter((n) => !names.has(n))).toEqual(
      [],
    );
    expect(Object.keys(NO_STORY).filter((n) => told.has(n))).toEqual([]);
  });
});
