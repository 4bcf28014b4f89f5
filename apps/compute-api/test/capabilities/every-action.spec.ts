/** What capabilities say of an action is what the action's own request answers: over actions, states, locks and roles. */
import fc from 'fast-check';
import { noauth, noauthToken } from '@fractus/http';
import { operationsOf } from '@fractus/microversions';
import { TASK_STATES, VM_STATES } from '@fractus/objects';
import { clientName, SERVER_ACTION_KEYS, UNBUILT_ACTIONS } from '@fractus/server-lifecycle';
import { ServersController } from '../../src/api/servers/servers.controller';
import { contract, withContract } from '../contract/contract';
import { ServersWorld } from '../servers/servers-world';

interface Situation {
  vmState: string;
  taskState: string | null;
  lockedBy: string | null;
  as: string;
  hosted: boolean;
  launched: boolean;
  capabilities: Record<string, boolean>;
}
interface Told {
  available: boolean;
  reasons?: { code: string; message: string }[];
  variants?: Record<string, Told>;
}

const ABLE = { supports_suspend: true };
const PEOPLE = ['joe:p1', 'reader:p1', 'admin:p1', 'admin:other'];

describe('every action', () => {
  let world: ServersWorld;
  let id: string;
  beforeAll(async () => {
    const validate = async (token: string) => ({
      ...noauthToken(token),
      ...(token.startsWith('reader') ? { roles: ['reader'] } : {}),
    });
    world = await ServersWorld.start({ tokens: { ...noauth(), validate } });
    await world.addHosts(1);
    id = await world.made();
  });
  afterAll(() => world.close());

  async function bring({ vmState, taskState, lockedBy, hosted, launched, capabilities }: Situation): Promise<void> {
    const { database } = world.api;
    await database.transaction(async (tx) => {
      await tx.execute('DELETE FROM tasks', []);
      await tx.execute('UPDATE compute_nodes SET capabilities = ?', [JSON.stringify(capabilities)]);
      await tx.execute(
        'UPDATE servers SET vm_state = ?, task_state = ?, locked_by = ?, host = ?, launched_at = ? WHERE uuid = ?',
        [vmState, taskState, lockedBy, hosted ? 'h1' : null, launched ? 1 : null, id],
      );
    });
  }

  /** Sends every action's request from the situation, and compares with what was told before. */
  async function hold(situation: Situation): Promise<{ yes: number; no: number }> {
    const { as } = situation;
    await bring(situation);
    const { body } = await world.api.get(`/v2.1/servers/${id}/capabilities`, { as, version: '2.104' });
    const told: Record<string, Told> = body.capabilities.actions;
    const count = { yes: 0, no: 0 };
    for (const key of SERVER_ACTION_KEYS) {
      const { name, variant } = clientName(key);
      const said = variant ? told[name]!.variants![variant]! : told[name]!;
      await bring(situation);
      const request = name === 'reboot' ? { reboot: { type: variant } } : { [name]: null };
      const answer =
        name === 'delete'
          ? await world.api.delete(`/v2.1/servers/${id}`, { as })
          : await world.act(id, request, { as, version: '2.104' });
      const fault = answer.status < 300 ? null : (Object.values(answer.body)[0] as any); // eslint-disable-line @typescript-eslint/no-explicit-any
      const at = { key, ...situation };
      expect({ ...at, available: said.available }).toEqual({ ...at, available: fault === null });
      if (fault) {
        // what the edge of the request refuses has its first reason alone
        expect({ ...at, first: said.reasons![0]!.message }).toEqual({ ...at, first: fault.message });
        const all = fault.fractus?.details?.reasons as { code: string }[] | undefined;
        if (all) expect(said.reasons!.map((r) => r.code)).toEqual(all.map((r) => r.code));
      }
      count[fault ? 'no' : 'yes']++;
    }
    return count;
  }

  const plain = { hosted: true, launched: true, capabilities: ABLE };

  it('is available exactly where its request is not refused, for every vm_state, lock and role', async () => {
    const sum = { yes: 0, no: 0 };
    for (const vmState of VM_STATES)
      for (const taskState of [null, 'deleting', 'powering-off', 'suspending'])
        for (const lockedBy of [null, 'owner', 'admin'])
          for (const as of PEOPLE.slice(0, 3)) {
            const { yes, no } = await hold({ vmState, taskState, lockedBy, as, ...plain });
            sum.yes += yes;
            sum.no += no;
          }
    expect(sum.yes).toBeGreaterThan(500);
    expect(sum.no).toBeGreaterThan(2000);
  }, 240_000);

  it('nor for any task_state, host, driver or history that chance brings', async () => {
    const situation = fc.record({
      vmState: fc.constantFrom(...VM_STATES),
      taskState: fc.option(fc.constantFrom(...TASK_STATES)),
      lockedBy: fc.constantFrom(null, 'owner', 'admin'),
      as: fc.constantFrom(...PEOPLE),
      hosted: fc.boolean(),
      launched: fc.boolean(),
      capabilities: fc.dictionary(fc.constantFrom('supports_suspend', 'supports_pause'), fc.boolean()),
    });
    await fc.assert(
      fc.asyncProperty(situation, async (s) => void (await hold(s))),
      { numRuns: 120 },
    );
  }, 120_000);

  it('is told of when it is not built, and its request is no action', async () => {
    const { body } = await world.api.get(`/v2.1/servers/${id}/capabilities`, { as: 'admin:p1', version: '2.104' });
    for (const { name, request } of UNBUILT_ACTIONS) {
      expect(body.capabilities.actions[name]).toMatchObject({
        available: false,
        reasons: [{ code: 'action.not_built', have: null, need: null, retryable: false }],
      });
      const [method = '', path = '', key] = request.split(' ');
      const real = path.replace('{id}', id).replace(/\{\w+\}/, id);
      const answer = await world.api.ask(method, `/v2.1${real}`, {
        ...(method === 'DELETE' ? {} : { body: { [key ?? 'x']: null } }),
        version: '2.104',
      });
      expect([request, answer.status]).toEqual([request, key ? 400 : 404]);
    }
  });

  withContract('of upstream', () =>
    it('is in the table or among those that are not built', () => {
      const known = new Set([
        ...SERVER_ACTION_KEYS.map((k) => clientName(k).name),
        ...UNBUILT_ACTIONS.map((a) => a.name),
      ]);
      const upstream = contract().operations.filter((o) => o.path === '/servers/{id}/action' && o.action && !o.removed);
      expect(upstream.map((o) => o.action!).filter((a) => !known.has(a))).toEqual([]);
      const requests = new Set(contract().operations.map((o) => `${o.method} ${o.path.replace(/\{\w+\}/g, '{}')}`));
      const unknown = UNBUILT_ACTIONS.map((a) =>
        a.request
          .split(' ')
          .slice(0, 2)
          .join(' ')
          .replace(/\{\w+\}/g, '{}'),
      );
      expect(unknown.filter((r) => !requests.has(r))).toEqual([]);
    }),
  );

  it('that is built has a request by that name', () => {
    const names = operationsOf(ServersController).map((o) => o.name);
    for (const key of SERVER_ACTION_KEYS) {
      const { name } = clientName(key);
      expect(names).toContain(
        name === 'delete' ? 'DELETE /servers/{server_id}' : `POST /servers/{server_id}/action ${name}`,
      );
    }
  });
});
