import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  isFractusError,
  TASK_STATES,
  VM_STATES,
  type PowerState,
  type TaskState,
  type VmState,
} from '@fractus/objects';
import {
  ACTION_KEYS,
  actionRow,
  actionOfTask,
  applyChange,
  evaluate,
  type Facts,
  FEATURES,
  guestEffect,
  lostRace,
  progressOf,
  shownProgress,
  renderLifecycle,
  requireAllowed,
  SERVER_STATUSES,
  type ServerFacts,
  showsFault,
  showsProgress,
  statesOfStatus,
  statusOf,
  tableFaults,
  TASK_TYPES,
} from './index';

const ID = '0a1b2c3d-0000-4000-8000-000000000001';
const server = (extra: Partial<ServerFacts> = {}): ServerFacts => ({
  id: ID,
  vmState: 'active',
  taskState: null,
  locked: false,
  launched: true,
  host: 'h1',
  ...extra,
});
const facts = (s: Partial<ServerFacts> = {}, extra: Partial<Facts> = {}): Facts => ({
  server: server(s),
  actor: { admin: false },
  ...extra,
});
const messageOf = (run: () => unknown): string => {
  try {
    run();
  } catch (e) {
    return isFractusError(e) ? `${e.kind}: ${e.message}` : String(e);
  }
  return 'allowed';
};

const TASKS: readonly (TaskState | null)[] = [null, ...TASK_STATES];

describe('the lifecycle table', () => {
  it('is sound', () => expect(tableFaults()).toEqual([]));

  it('is what docs/lifecycle.md says (node tools/generators/lifecycle.mjs)', () => {
    expect(readFileSync(resolve(__dirname, '../../../docs/lifecycle.md'), 'utf8')).toBe(renderLifecycle());
  });

  it('knows the action of every task', () => {
    for (const type of TASK_TYPES) expect(actionRow(actionOfTask(type)!).task).toBe(type);
    expect(actionOfTask('nothing')).toBeNull();
  });
});

describe.each(ACTION_KEYS.filter((key) => key !== 'create'))('%s', (action) => {
  const row = actionRow(action);

  it('is allowed exactly in the states of its row, for every vm_state, task_state, lock and actor', () => {
    const wrong: string[] = [];
    for (const vmState of VM_STATES)
      for (const taskState of TASKS)
        for (const locked of [false, true])
          for (const admin of [false, true]) {
            const verdict = evaluate(action, { server: server({ vmState, taskState, locked }), actor: { admin } });
            const inState =
              (row.vmStates === 'any' || row.vmStates.includes(vmState)) &&
              (row.taskStates === 'any' || row.taskStates.includes(taskState));
            const held = locked && !admin && row.guards.includes('lock');
            const sentences = verdict.allowed ? [] : verdict.reasons.map((r) => r.message);
            const next = verdict.allowed && !verdict.already ? applyChange(row.begin, { vmState, taskState }) : null;
            const right =
              verdict.allowed === (inState && !held) &&
              (verdict.allowed || verdict.reasons.some((r) => r.code === 'locked') === held) &&
              !sentences.some((text) => /undefined|\[object/.test(text)) &&
              (!verdict.allowed ||
                next === null ||
                (verdict.next.vmState === next.vmState && verdict.next.taskState === next.taskState));
            if (!right)
              wrong.push(`${vmState} ${taskState} locked=${locked} admin=${admin}: ${JSON.stringify(verdict)}`);
          }
    expect(wrong).toEqual([]);
  });

  it('is refused by policy first, and told so', () => {
    const verdict = evaluate(
      action,
      facts({ vmState: 'deleted', locked: true }, { actor: { admin: false, may: () => false } }),
    );
    expect(verdict).toMatchObject({ allowed: false });
    expect(
      messageOf(() =>
        requireAllowed(
          action,
          facts({ vmState: 'deleted', locked: true }, { actor: { admin: false, may: () => false } }),
        ),
      ),
    ).toBe(`forbidden: Policy doesn't allow ${row.policy} to be performed.`);
  });
});

describe("upstream's sentences", () => {
  it.each([
    ['stop', { vmState: 'paused' }, `conflict: Cannot 'stop' instance ${ID} while it is in vm_state paused`],
    [
      'reboot-hard',
      { taskState: 'deleting' },
      `conflict: Cannot 'reboot' instance ${ID} while it is in task_state deleting`,
    ],
    ['start', { vmState: 'active' }, `conflict: Cannot 'start' instance ${ID} while it is in vm_state active`],
    ['start', { vmState: 'stopped', locked: true }, `conflict: Instance ${ID} is locked`],
    ['stop', { host: null }, `conflict: Instance ${ID} is not ready`],
    ['stop', { vmState: 'error', launched: false }, `conflict: Instance ${ID} is in an invalid state for 'stop'`],
    ['delete', { vmState: 'error', taskState: 'spawning' }, 'allowed'],
  ] as const)('%s %j', (action, extra, sentence) => {
    expect(messageOf(() => requireAllowed(action, facts(extra)))).toBe(sentence);
  });

  it('a loser of a race is told what it lost to', () => {
    expect(lostRace('stop', ID, { vmState: 'active', taskState: 'pausing' }).message).toBe(
      `Cannot 'stop' instance ${ID} while it is in task_state pausing`,
    );
    expect(lostRace('stop', ID, { vmState: 'stopped', taskState: null }).message).toBe(
      `Cannot 'stop' instance ${ID} while it is in vm_state stopped`,
    );
  });
});

describe('other guards', () => {
  it('a delete of what is being deleted changes nothing', () => {
    expect(evaluate('delete', facts({ taskState: 'deleting' }))).toEqual({
      allowed: true,
      already: true,
      task: 'delete-server',
      next: { vmState: 'active', taskState: 'deleting' },
    });
  });

  it("an admin's lock is opened by who may override it", () => {
    const may = (rule: string): boolean => !rule.endsWith('unlock_override');
    expect(
      evaluate('unlock', facts({ locked: true, lockedBy: 'owner' }, { actor: { admin: false, may } })).allowed,
    ).toBe(true);
    expect(
      messageOf(() =>
        requireAllowed('unlock', facts({ locked: true, lockedBy: 'admin' }, { actor: { admin: false, may } })),
      ),
    ).toBe("forbidden: Policy doesn't allow os_compute_api:os-lock-server:unlock:unlock_override to be performed.");
  });

  it('features and drivers object with their own codes', () => {
    for (const name of FEATURES) {
      const verdict = evaluate('suspend', facts({ features: new Set([name]) }));
      const objects = ['shares', 'sev', 'accelerators'].includes(name);
      expect(verdict.allowed).toBe(!objects);
      if (!verdict.allowed) expect(verdict.reasons.map((r) => r.code)).toEqual([`feature.${name}`]);
    }
    const verdict = evaluate('pause', facts({}, { host: { up: true, capabilities: { supports_pause: false } } }));
    expect(verdict).toMatchObject({ allowed: false, reasons: [{ code: 'driver.unsupported' }] });
  });

  it('quota is refused with every exceeded resource in the sentence', () => {
    const quota = [
      { resource: 'cores', requested: 4, used: 18, limit: 20 },
      { resource: 'instances', requested: 1, used: 10, limit: 10 },
      { resource: 'ram', requested: 512, used: 1, limit: -1 },
    ] as const;
    expect(messageOf(() => requireAllowed('create', { server: null, actor: { admin: false }, quota }))).toBe(
      'forbidden: Quota exceeded for cores, instances: Requested 4, 1, but already used 18, 10 of 20, 10 cores, instances',
    );
  });
});

describe('status', () => {
  it('and its inverse agree on every pair of states', () => {
    for (const vmState of VM_STATES)
      for (const taskState of TASKS) {
        const found = SERVER_STATUSES.filter((status) =>
          (statesOfStatus(status) ?? []).some(
            (f) =>
              f.vmState === vmState &&
              ('in' in f.taskStates
                ? taskState !== null && f.taskStates.in.includes(taskState)
                : taskState === null || !f.taskStates.notIn.includes(taskState)),
          ),
        );
        expect([vmState, taskState, found]).toEqual([vmState, taskState, [statusOf(vmState, taskState)]]);
      }
  });

  it('knows no other status, and no case', () => {
    expect(statesOfStatus('NOSUCH')).toBeNull();
    expect(statesOfStatus('hard_reboot')).toHaveLength(1);
  });

  it.each([
    ['active', 'rebooting_hard', 'HARD_REBOOT'],
    ['active', 'deleting', 'ACTIVE'],
    ['stopped', 'rebuilding', 'REBUILD'],
    ['resized', 'resize_reverting', 'REVERT_RESIZE'],
    ['soft-delete', null, 'SOFT_DELETED'],
    ['rescued', null, 'RESCUE'],
  ] as const)('%s/%s is %s', (vmState: VmState, taskState: TaskState | null, status) => {
    expect(statusOf(vmState, taskState)).toBe(status);
  });

  it('shows progress and faults where upstream does', () => {
    expect(SERVER_STATUSES.filter(showsProgress)).toEqual([
      'ACTIVE',
      'BUILD',
      'MIGRATING',
      'REBUILD',
      'RESIZE',
      'VERIFY_RESIZE',
    ]);
    expect(SERVER_STATUSES.filter(showsFault)).toEqual(['DELETED', 'ERROR']);
    expect(SERVER_STATUSES.filter((status) => shownProgress(status, 60) !== 0)).toEqual(['ACTIVE']);
  });
});

describe('what nobody asked for', () => {
  it('follows a guest that died, and enforces what the user wants', () => {
    expect(guestEffect('active', 4)).toEqual({ kind: 'become', vmState: 'stopped' });
    expect(guestEffect('stopped', 1)).toEqual({ kind: 'enforce', action: 'stop' });
    for (const vmState of VM_STATES)
      for (const power of [0, 1, 3, 4, 6, 7] as PowerState[]) expect(guestEffect(vmState, power)).toBeDefined();
  });

  it('shows the phases of a build that are task states', () => {
    expect(progressOf('building', 'image')?.taskState).toBe('spawning');
    expect(progressOf('building', 'warming up the disk')).toBeNull();
    expect(progressOf('building', undefined)).toBeNull();
  });
});
