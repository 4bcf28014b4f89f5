import { REMOVED_OPERATIONS } from '../../src/api/removed-operations/removed-operations';
import { ApiUnderTest } from '../api-under-test';
import { contract, withContract } from '../contract/contract';

const nameOf = ({ method, path, action }: { method: string; path: string; action: string | null }): string =>
  `${method} ${path}${action === null ? '' : ` ${action}`}`;

describe('operations that were removed', () => {
  let api: ApiUnderTest;
  beforeAll(async () => void (api = await ApiUnderTest.start()));
  afterAll(() => api.close());

  const ask = (row: (typeof REMOVED_OPERATIONS)[number], version: string) =>
    api.ask(row.method, `/v2.1${row.path.replace(/\{\w+\}/g, 'some-id')}`, {
      version,
      as: 'joe:p1',
      ...(row.method === 'GET' || row.method === 'DELETE' ? {} : { body: { [row.action ?? 'thing']: null } }),
    });

  it.each(REMOVED_OPERATIONS.filter((row) => row.min === null).map((row) => [nameOf(row), row] as const))(
    '%s is gone from every version',
    async (_, row) => {
      for (const version of ['2.1', '2.104']) {
        expect(await ask(row, version)).toMatchObject({
          status: 410,
          body: { computeFault: { code: 410, message: row.message } },
        });
      }
    },
  );

  it('refuses RDP consoles in the versions that know them', async () => {
    const row = REMOVED_OPERATIONS.find((r) => r.action === 'os-getRDPConsole')!;
    expect((await ask(row, '2.5')).status).toBe(400);
    expect((await ask(row, '2.6')).status).toBe(404);
  });

  it('still wants a token, the right project and an action that there was', async () => {
    expect((await api.get('/v2.1/os-agents', { as: '' })).status).toBe(401);
    expect((await api.get('/v2.1/def456/os-agents', { as: 'admin:abc123' })).status).toBe(400);
    expect((await api.get('/v2.1/os-agents')).headers.get('openstack-api-version')).toBe('compute 2.1');
    expect((await api.post('/v2.1/os-networks/x/action', { dance: null })).body.badRequest.message).toBe(
      'There is no such action: dance',
    );
  });

  it('lets the actions of servers that live through', async () => {
    const { status } = await api.post('/v2.1/servers/5f7cbb38-0ab4-4c27-8a3c-6b3d9a0f4b2e/action', {
      'os-start': null,
    });
    expect(status).toBe(404);
  });
});

withContract('the list of removed operations', () => {
  it('is upstream’s', () => {
    const theirs = contract()
      .operations.filter((o) => o.removed !== null)
      .map((o) => [nameOf(o), o.min, o.max, (o.removed as { code: number }).code]);
    const ours = REMOVED_OPERATIONS.map((row) => [nameOf(row), row.min, row.max, row.code]);
    expect(ours.sort()).toEqual(theirs.sort());
  });
});
