import { TASK_STATES, VM_STATES } from '@fractus/objects';
import { evaluate, evaluateAll, type Facts, SERVER_ACTION_KEYS, tableFaults, UNBUILT_ACTIONS } from './index';

const facts = (vmState: (typeof VM_STATES)[number], taskState: (typeof TASK_STATES)[number] | null = null): Facts => ({
  server: { id: 'x', vmState, taskState, locked: false, launched: true, host: 'h1' },
  actor: { admin: false, may: (rule) => !rule.endsWith(':pause') },
  host: { up: true, capabilities: { supports_suspend: false } },
});

describe('all actions at once', () => {
  it('are judged as one by one, in every state', () => {
    for (const vmState of VM_STATES)
      for (const taskState of [null, ...TASK_STATES]) {
        const all = evaluateAll(facts(vmState, taskState));
        expect(all.map((a) => a.action)).toEqual(SERVER_ACTION_KEYS);
        for (const { action, verdict } of all) expect(verdict).toEqual(evaluate(action, facts(vmState, taskState)));
      }
  });

  it('go by the names of the requests, and say where they lead', () => {
    const reboots = evaluateAll(facts('stopped'), 'reboot');
    expect(reboots.map(({ variant, verdict, done }) => [variant, verdict.allowed, done])).toEqual([
      ['SOFT', false, null],
      ['HARD', true, { vmState: 'active', taskState: null }],
    ]);
    expect(evaluateAll(facts('active'), 'os-stop')).toMatchObject([
      { action: 'stop', variant: null, done: { vmState: 'stopped', taskState: null } },
    ]);
    expect(evaluateAll(facts('active'), 'delete')).toMatchObject([{ done: { vmState: 'deleted' } }]);
    expect(evaluateAll(facts('active'), 'resize')).toEqual([]);
  });

  it('name the rule and the capability that they lack', () => {
    expect(evaluateAll(facts('active'), 'pause')).toMatchObject([
      { verdict: { reasons: [{ code: 'policy', rule: 'os_compute_api:os-pause-server:pause' }] } },
    ]);
    expect(evaluateAll(facts('active'), 'suspend')).toMatchObject([
      { verdict: { reasons: [{ code: 'driver.unsupported', capability: 'supports_suspend' }] } },
    ]);
  });

  it('leave those that are not built to a list of their own', () => {
    expect(tableFaults()).toEqual([]);
    const names = UNBUILT_ACTIONS.map((a) => a.name);
    expect(new Set(names).size).toBe(names.length);
  });
});
