import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemContext, type RequestContext } from '@fractus/objects';
import {
  computeRules,
  createEnforcer,
  placementRules,
  type ComputeRuleName,
  type Enforcer,
  type PolicyRules,
} from './index';

const who = (roles: string[], more: Partial<RequestContext> = {}): RequestContext => ({
  requestId: 'req-1',
  userId: 'u1',
  projectId: 'p1',
  roles,
  ...more,
});
const admin = who(['admin', 'manager', 'member', 'reader'], { projectId: 'other' });
const manager = who(['manager', 'member', 'reader']);
const member = who(['member', 'reader']);
const reader = who(['reader']);
const stranger = who(['member', 'reader'], { projectId: 'p2', userId: 'u2' });
const service = who(['service'], { projectId: 'services' });
const system = who(['admin'], { projectId: null, systemScope: 'all' });
const domain = who(['admin'], { projectId: null, domainId: 'd1' });
const ours = { project_id: 'p1', user_id: 'u1' };

const compute = (overrides: PolicyRules = {}, enforceNewDefaults = true): Enforcer<ComputeRuleName> =>
  createEnforcer({ rules: computeRules, overrides, enforceNewDefaults });

describe('Nova’s defaults', () => {
  const enforcer = compute();
  // admin manager member reader stranger service system domain
  it.each<[ComputeRuleName, string]>([
    ['os_compute_api:servers:show', 'y y y y n n n n'], // project_reader_or_admin
    ['os_compute_api:servers:create', 'y y y n n n n n'], // project_member_or_admin
    ['os_compute_api:os-migrate-server:migrate', 'y y n n n n n n'], // project_manager_or_admin
    ['os_compute_api:os-hypervisors:list', 'y n n n n n n n'], // admin
    ['os_compute_api:os-server-external-events:create', 'y n n n n y n n'], // service_or_admin
    ['os_compute_api:os-keypairs:show', 'y y y y n y n n'], // own user or admin
    ['os_compute_api:os-availability-zone:list', 'y y y y y y n n'], // anyone
  ])('%s', (rule, expected) => {
    const target = rule.includes('keypairs') ? { user_id: 'u1' } : ours;
    const got = [admin, manager, member, reader, stranger, service, system, domain].map((c) =>
      enforcer.check(c, rule, target) ? 'y' : 'n',
    );
    expect(got.join(' ')).toBe(expected);
  });

  it('has nothing odd in it', () => {
    expect(enforcer.problems).toEqual([]);
    expect(createEnforcer({ rules: placementRules }).problems).toEqual([]);
  });

  it('says which rule forbids', () => {
    expect(() => enforcer.authorize(member, 'os_compute_api:os-hypervisors:list')).toThrow(
      expect.objectContaining({
        kind: 'forbidden',
        message: "Policy doesn't allow os_compute_api:os-hypervisors:list to be performed.",
        details: { rule: 'os_compute_api:os-hypervisors:list' },
      }),
    );
    expect(() => enforcer.authorize(admin, 'os_compute_api:os-hypervisors:list')).not.toThrow();
  });

  it('knows an admin by the rule context_is_admin', () => {
    expect([admin, member].map((c) => enforcer.isAdmin(c))).toEqual([true, false]);
    expect(compute({ context_is_admin: 'role:operator' }).isAdmin(who(['Operator']))).toBe(true);
    expect(compute({ context_is_admin: 'is_admin:True' }).isAdmin(admin)).toBe(false);
  });

  it('takes a system token where scopes are not enforced', () => {
    expect(
      createEnforcer({ rules: computeRules, enforceScope: false }).check(system, 'os_compute_api:os-hypervisors:list'),
    ).toBe(true);
    expect(createEnforcer({ rules: computeRules, enforceScope: false }).isAdmin(systemContext('req-2'))).toBe(true);
  });

  it('refuses to be asked for a rule that nobody declared', () => {
    expect(() => enforcer.check(admin, 'os_compute_api:nonsense' as ComputeRuleName)).toThrow(/not declared/);
  });
});

describe('placement’s defaults', () => {
  it('are for admins and services', () => {
    const enforcer = createEnforcer({ rules: placementRules });
    expect([admin, service, member].map((c) => enforcer.check(c, 'placement:resource_providers:list'))).toEqual([
      true,
      true,
      false,
    ]);
    expect(enforcer.check(reader, 'placement:usages', ours)).toBe(true);
    expect(enforcer.check(stranger, 'placement:usages', ours)).toBe(false);
  });
});

describe('the operator’s rules', () => {
  it('win over defaults', () => {
    const enforcer = compute({ 'os_compute_api:os-hypervisors:list': 'role:reader' });
    expect(enforcer.check(reader, 'os_compute_api:os-hypervisors:list')).toBe(true);
    expect(enforcer.check(reader, 'os_compute_api:os-hypervisors:show')).toBe(false);
  });

  it('may use a name that a rule had before', () => {
    const enforcer = compute({ 'os_compute_api:os-hypervisors': 'role:ops' });
    expect(enforcer.check(who(['ops']), 'os_compute_api:os-hypervisors:list')).toBe(true);
    expect(enforcer.check(admin, 'os_compute_api:os-hypervisors:list')).toBe(false);
    expect(enforcer.problems).toContain(
      'os_compute_api:os-hypervisors: the rule is now called os_compute_api:os-hypervisors:list; the old name still holds',
    );
    // a sample file that points the old name to the new one changes nothing
    expect(
      compute({ 'os_compute_api:os-hypervisors': 'rule:os_compute_api:os-hypervisors:list' }).check(
        admin,
        'os_compute_api:os-hypervisors:list',
      ),
    ).toBe(true);
  });

  it('may let former defaults hold too', () => {
    const anyRole = who(['whatever']);
    expect(compute().check(anyRole, 'os_compute_api:servers:show', ours)).toBe(false);
    expect(compute({}, false).check(anyRole, 'os_compute_api:servers:show', ours)).toBe(true);
    expect(
      compute({ project_reader_or_admin: 'role:reader' }, false).check(anyRole, 'os_compute_api:servers:show', ours),
    ).toBe(false);
  });

  it('that are wrong deny and are listed', () => {
    const enforcer = compute({
      'os_compute_api:servers:show': 'role:member and',
      'os_compute_api:servers:index': 'rule:missing or role:member',
      loop: 'rule:pool',
      pool: 'rule:loop',
      'os_compute_api:servers:detail': 'rule:loop or role:admin',
    });
    expect(enforcer.check(admin, 'os_compute_api:servers:show')).toBe(false);
    expect(enforcer.check(member, 'os_compute_api:servers:index')).toBe(true);
    expect([member, admin].map((c) => enforcer.check(c, 'os_compute_api:servers:detail'))).toEqual([false, true]);
    expect(enforcer.problems).toEqual([
      'os_compute_api:servers:show: cannot understand "role:member and": it ends too early; it denies',
      'os_compute_api:servers:index: refers to the rule "missing", which is not defined; that part denies',
      'loop: refers to itself; that part denies',
      'pool: refers to itself; that part denies',
    ]);
  });

  it('may have a default for rules that are not defined', () => {
    const enforcer = compute({ default: 'role:fallback', 'os_compute_api:servers:index': 'rule:missing' });
    expect(enforcer.check(who(['fallback']), 'os_compute_api:servers:index')).toBe(true);
    expect(enforcer.problems).toEqual([]);
  });

  it('come from a file and a folder', () => {
    const dir = mkdtempSync(join(tmpdir(), 'policy-'));
    writeFileSync(
      join(dir, 'policy.yaml'),
      '# a comment\n"os_compute_api:servers:index": "role:a"\n"os_compute_api:servers:show": [["role:a"], ["role:b"]]\n',
    );
    const more = mkdtempSync(join(tmpdir(), 'policy.d-'));
    writeFileSync(join(more, '10.yaml'), '"os_compute_api:servers:index": "role:b"\n');
    writeFileSync(join(more, '20.yaml'), '"os_compute_api:servers:index": "role:c"\n');
    const enforcer = createEnforcer({ rules: computeRules, policyFile: join(dir, 'policy.yaml'), policyDirs: [more] });
    expect(enforcer.effective()).toMatchObject({
      'os_compute_api:servers:index': 'role:c',
      'os_compute_api:servers:show': 'role:a or role:b',
    });
  });

  it('that cannot be read stop the start', () => {
    const dir = mkdtempSync(join(tmpdir(), 'policy-'));
    const file = join(dir, 'policy.yaml');
    const load = (text: string) => () => {
      writeFileSync(file, text);
      createEnforcer({ rules: computeRules, policyFile: file });
    };
    expect(load('a: [')).toThrow(/is not YAML/);
    expect(load('- a')).toThrow(/must hold a mapping/);
    expect(load('a: 1\nb: {c: d}')).toThrow(/neither text nor a list of lists of text: a, b/);
    expect(() => createEnforcer({ rules: computeRules, policyFile: join(dir, 'none.yaml') })).toThrow(
      /cannot read the policy file/,
    );
    expect(load('')).not.toThrow();
  });
});
