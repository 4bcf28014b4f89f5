// Every command of osc-placement, as steps of the client script.
import { randomUUID } from 'node:crypto';

const V = ['--os-placement-api-version', '1.39'];

/** `openstack`, `step`, `expect` and `name` are the client script's. */
export function placementSteps({ openstack, step, expect, name }) {
  const placement = (args, options) => openstack([...V, ...args], options);
  const silent = (args) => placement(args, { json: false });
  const provider = ['resource', 'provider'];
  const [uuid, child, aggregate, consumer, user] = Array.from({ length: 5 }, () => randomUUID());
  const custom = (what) => `CUSTOM_${name(what)}`.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
  const [rc, other, trait] = [custom('class'), custom('other'), custom('trait')];
  const inventory = (rows, wanted) => rows.find((r) => r.resource_class === wanted) ?? {};
  let project;

  step('resource provider create, set, show, list', () => {
    expect(placement([...provider, 'create', name('rp'), '--uuid', uuid]).uuid === uuid, 'another uuid');
    placement([...provider, 'create', name('child'), '--uuid', child, '--parent-provider', uuid]);
    expect(placement([...provider, 'set', uuid, '--name', name('renamed')]).name === name('renamed'), 'another name');
    expect(placement([...provider, 'show', child]).root_provider_uuid === uuid, 'another root');
    const found = placement([...provider, 'list', '--in-tree', child]).map((r) => r.uuid);
    expect(found.length === 2 && found.includes(uuid), `the tree is ${found}`);
  });
  step('resource class create, set, show, list, delete', () => {
    silent(['resource', 'class', 'create', rc]);
    silent(['resource', 'class', 'set', other]);
    expect(placement(['resource', 'class', 'show', rc]).name === rc, 'another class');
    const names = placement(['resource', 'class', 'list']).map((r) => r.name);
    expect(
      [rc, other, 'VCPU'].every((n) => names.includes(n)),
      'a class is missing',
    );
    silent(['resource', 'class', 'delete', other]);
  });
  step('trait create, show, list', () => {
    silent(['trait', 'create', trait]);
    expect(placement(['trait', 'show', trait]).name === trait, 'another trait');
    expect(placement(['trait', 'list', '--name', `in:${trait}`]).length === 1, 'it is not listed');
  });
  step('resource provider inventory set, class set, list, show', () => {
    const resources = ['--resource', 'VCPU=8', '--resource', `${rc}=4`, '--resource', 'VCPU:allocation_ratio=2'];
    const set = placement([...provider, 'inventory', 'set', uuid, ...resources]);
    expect(inventory(set, 'VCPU').allocation_ratio === 2 && inventory(set, rc).total === 4, 'other inventories');
    const one = placement([...provider, 'inventory', 'class', 'set', uuid, rc, '--total', '6', '--max_unit', '3']);
    expect(one.total === 6 && one.max_unit === 3, 'another inventory');
    expect(placement([...provider, 'inventory', 'list', uuid]).length === 2, 'not two inventories');
    expect(placement([...provider, 'inventory', 'show', uuid, rc]).max_unit === 3, 'another max_unit');
    const more = [...provider, 'inventory', 'set', uuid, '--amend', '--resource', 'DISK_GB=10'];
    expect(placement(more).length === 3, 'amending lost some');
  });
  step('resource provider trait set, list', () => {
    expect(placement([...provider, 'trait', 'set', uuid, '--trait', trait])[0].name === trait, 'another trait');
    expect(placement([...provider, 'trait', 'list', uuid]).length === 1, 'not one trait');
    expect(
      placement(['trait', 'list', '--associated']).some((t) => t.name === trait),
      'it is not associated',
    );
  });
  step('resource provider aggregate set, list', () => {
    const { generation } = placement([...provider, 'show', uuid]);
    silent([...provider, 'aggregate', 'set', uuid, '--aggregate', aggregate, '--generation', String(generation)]);
    expect(placement([...provider, 'aggregate', 'list', uuid])[0].uuid === aggregate, 'another aggregate');
  });
  step('allocation candidate list', () => {
    const wanted = ['--resource', `${rc}=2`, '--required', trait, '--member-of', aggregate, '--limit', '5'];
    const found = placement(['allocation', 'candidate', 'list', ...wanted]);
    expect(found.length === 1 && found[0]['resource provider'] === uuid, `${JSON.stringify(found)}`);
    expect(placement(['allocation', 'candidate', 'list', '--resource', `${rc}=4`]).length === 0, 'over max_unit');
  });
  step('resource provider allocation set, show, unset, delete', () => {
    project = openstack(['token', 'issue']).project_id;
    const owner = ['--project-id', project, '--user-id', user, '--consumer-type', 'CLIENT_SCRIPT'];
    const taken = ['--allocation', `rp=${uuid},VCPU=4,${rc}=3`];
    silent([...provider, 'allocation', 'set', consumer, ...taken, ...owner]);
    const [shown] = placement([...provider, 'allocation', 'show', consumer]);
    expect(shown.resources.VCPU === 4 && shown.consumer_type === 'CLIENT_SCRIPT', JSON.stringify(shown));
    const usage = placement([...provider, 'usage', 'show', uuid]).find((r) => r.resource_class === rc);
    expect(usage.usage === 3, `usage ${usage.usage}`);
    const [of] = placement(['resource', 'usage', 'show', project, '--user-id', user]);
    expect(of.resource_class === 'CLIENT_SCRIPT' && of.usage.VCPU === 4, JSON.stringify(of));
    const left = placement([...provider, 'allocation', 'unset', consumer, '--resource-class', rc]);
    expect(left[0].resources[rc] === undefined && left[0].resources.VCPU === 4, JSON.stringify(left));
    silent([...provider, 'allocation', 'delete', consumer]);
    expect(placement([...provider, 'allocation', 'show', consumer]).length === 0, 'it still holds something');
  });
  step('what was made in Placement is deleted', () => {
    silent([...provider, 'inventory', 'delete', uuid, '--resource-class', 'DISK_GB']);
    expect(placement([...provider, 'inventory', 'list', uuid]).length === 2, 'not two inventories');
    silent([...provider, 'inventory', 'delete', uuid]);
    silent([...provider, 'trait', 'delete', uuid]);
    silent([...provider, 'delete', child]);
    silent([...provider, 'delete', uuid]);
    silent(['trait', 'delete', trait]);
    silent(['resource', 'class', 'delete', rc]);
    expect(placement([...provider, 'list', '--name', name('renamed')]).length === 0, 'a provider is left');
  });
}
