import { FractusError, isFractusError, systemContext, type ErrorKind } from '@fractus/objects';
import {
  IdentityClient,
  ImageClient,
  NetworkClient,
  ServiceSession,
  TokenValidator,
  type RevocationEvent,
} from '../src';
import { Neighbour, tokenReply, type Reply, type Seen } from './neighbour';

const ctx = systemContext('req-11111111-1111-4111-8111-111111111111');
const credentials = { username: 'nova', password: 'secret', projectName: 'service' };
const image = {
  id: 'i1',
  status: 'active',
  visibility: 'public',
  created_at: 't',
  updated_at: 't',
  os_distro: 'debian',
};

const failure = async (attempt: Promise<unknown>): Promise<FractusError> => {
  const e = await attempt.then(
    () => new Error('did not fail'),
    (x: unknown) => x,
  );
  if (!isFractusError(e)) throw e;
  return e;
};

describe('clients', () => {
  let peer: Neighbour;
  let session: ServiceSession;
  beforeEach(async () => {
    peer = await Neighbour.start();
    session = new ServiceSession({ authUrl: peer.url, credentials, timeoutMs: 5_000 });
  });
  afterEach(() => peer.close());

  /** Tokens t1, t2, … for logins; `rest` for everything else. */
  const script = (rest: (seen: Seen) => Reply): void => {
    let logins = 0;
    peer.replies = [
      (seen) =>
        seen.path === '/v3/auth/tokens' && seen.method === 'POST' ? tokenReply(`t${++logins}`, peer.url) : rest(seen),
    ];
  };
  const images = () => new ImageClient({ session });

  it('log in once for callers that arrive together, and tell the request id', async () => {
    script(() => ({ status: 200, json: image }));
    const shown = await Promise.all([images().show(ctx, 'i1'), images().show(ctx, 'i1'), images().show(ctx, 'i1')]);
    expect(shown[0]).toMatchObject({ id: 'i1', properties: { os_distro: 'debian' } });
    expect(peer.calls().filter((c) => c.startsWith('POST'))).toHaveLength(1);
    const call = peer.seen.at(-1)!;
    expect(call.path).toBe('/v2/images/i1');
    expect(call.headers).toMatchObject({ 'x-auth-token': 't1', 'x-openstack-request-id': ctx.requestId });
  });

  it('look at an image together, and each sees only what may be seen', async () => {
    const secret = { ...image, visibility: 'private', owner: 'p1' };
    script(() => ({ status: 200, json: secret }));
    await session.token(ctx);
    const client = images();
    const of = (projectId: string) => ({ ...ctx, roles: ['member'], projectId });
    const looks = await Promise.allSettled(['p1', 'p2', 'p1', 'p1'].map((p) => client.show(of(p), 'i1')));
    expect(looks.map((l) => l.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(peer.calls().filter((c) => c === 'GET /v2/images/i1')).toHaveLength(2);
  });

  it('log in again when their token is refused, once', async () => {
    script((seen) => (seen.headers['x-auth-token'] === 't1' ? { status: 401 } : { status: 200, json: image }));
    expect((await images().show(ctx, 'i1')).id).toBe('i1');
    script(() => ({ status: 401 }));
    expect(await failure(images().show(ctx, 'i1'))).toMatchObject({
      kind: 'unavailable',
      code: 'image.service_user_refused',
    });
  });

  it('hand a user’s own refused token back as it is', async () => {
    script(() => ({ status: 401 }));
    expect(await failure(images().show(ctx, 'i1', { token: 'mine' }))).toMatchObject({ kind: 'unauthenticated' });
    expect(peer.seen.at(-1)!.headers['x-auth-token']).toBe('mine');
  });

  it.each<[number, ErrorKind]>([
    [400, 'invalid'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [409, 'conflict'],
    [413, 'too_large'],
    [429, 'unavailable'],
    [500, 'unavailable'],
    [501, 'unimplemented'],
  ])('map %i to %s, with service and sentence', async (status, kind) => {
    script(() => ({ status, json: { NeutronError: { type: 'Whatever', message: 'the sentence', detail: '' } } }));
    const e = await failure(new NetworkClient({ session }).createPort(ctx, { networkId: 'n' }));
    expect(e).toMatchObject({ kind, message: 'the sentence', code: `network.${kind}` });
    expect(e.details).toMatchObject({
      service: 'network',
      status,
      method: 'POST',
      path: '/v2.0/ports',
      type: 'Whatever',
    });
  });

  it('read the sentence out of Glance’s HTML', async () => {
    const text =
      '<html><head><title>403 Forbidden</title></head><body><h1>403 Forbidden</h1>It is protected.<br /><br /></body></html>';
    script(() => ({ status: 403, text }));
    expect((await failure(images().update(ctx, 'i1', []))).message).toContain('It is protected.');
  });

  it('ask again where that is safe: reads and deletes after 503 or a broken connection', async () => {
    const replies: Reply[] = [{ status: 503 }, 'reset', { status: 200, json: image }];
    script(() => replies.shift() ?? { status: 204 });
    expect((await images().show(ctx, 'i1')).id).toBe('i1');
    await new NetworkClient({ session }).deletePort(ctx, 'x');
    expect(peer.calls().filter((c) => c.startsWith('GET'))).toHaveLength(3);
  });

  it('never send a POST twice', async () => {
    script(() => 'reset');
    expect(await failure(new NetworkClient({ session }).createPort(ctx, { networkId: 'n' }))).toMatchObject({
      kind: 'unavailable',
    });
    expect(peer.calls().filter((c) => c === 'POST /v2.0/ports')).toHaveLength(1);
  });

  it('call what cannot be reached unavailable, and what is silent timed out', async () => {
    script(() => 'hang');
    await session.token(ctx);
    const short = { ...ctx, deadline: Date.now() + 50 };
    expect(await failure(images().show(short, 'i1'))).toMatchObject({ kind: 'timeout', details: { service: 'image' } });
    expect(await failure(images().show({ ...ctx, deadline: Date.now() - 1 }, 'i1'))).toMatchObject({ kind: 'timeout' });
    const nobody = new ServiceSession({ authUrl: 'http://127.0.0.1:1', credentials, attempts: 1 });
    expect(await failure(nobody.token(ctx))).toMatchObject({
      kind: 'unavailable',
      message: 'identity cannot be reached',
    });
  });

  it('refuse to go out from within a database transaction', async () => {
    script(() => ({ status: 200, json: image }));
    const guarded = new ServiceSession({
      authUrl: peer.url,
      credentials,
      assertOutsideTransaction: (what) => {
        throw new FractusError('internal', `${what} inside a database transaction`);
      },
    });
    expect((await failure(new ImageClient({ session: guarded }).show(ctx, 'i1'))).message).toContain(
      'inside a database transaction',
    );
    expect(peer.seen).toEqual([]);
  });

  it('read a list to its end, page by page', async () => {
    const all = Array.from({ length: 5 }, (_, i) => ({ id: `p${i}` }));
    script((seen) => {
      const query = new URL(seen.path, peer.url).searchParams;
      const from = all.findIndex((p) => p.id === query.get('marker')) + 1;
      return { status: 200, json: { ports: all.slice(from, from + Number(query.get('limit'))) } };
    });
    const ports = await new NetworkClient({ session, pageSize: 2 }).listPorts(ctx, { deviceId: 'd' });
    expect(ports.map((p) => p.id)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
  });

  describe('of a network service that hands out fewer than they ask for', () => {
    const all = Array.from({ length: 5 }, (_, i) => ({ id: `p${i}` }));
    const most = 2;
    const listed = async (): Promise<string[]> =>
      (await new NetworkClient({ session }).listPorts(ctx, { deviceId: 'd' })).map((p) => p.id);
    const pageOf = (seen: Seen): { id: string }[] => {
      const query = new URL(seen.path, peer.url).searchParams;
      expect(query.get('device_id')).toBe('d');
      const from = all.findIndex((p) => p.id === query.get('marker')) + 1;
      return all.slice(from, from + Math.min(most, Number(query.get('limit'))));
    };
    const asked = (): number => peer.calls().filter((c) => c.startsWith('GET /v2.0/ports')).length;

    it('read the list to its end by its links', async () => {
      script((seen) => {
        const ports = pageOf(seen);
        const next = ports.length === most ? [{ rel: 'next', href: 'http://elsewhere/' }] : [];
        return { status: 200, json: { ports, ports_links: [...next, { rel: 'previous', href: 'http://elsewhere/' }] } };
      });
      expect(await listed()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
      expect(asked()).toBe(3);
    });

    it('read the list until nothing more comes where it gives no links', async () => {
      script((seen) => ({ status: 200, json: { ports: pageOf(seen) } }));
      expect(await listed()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
      expect(asked()).toBe(4);
    });

    it('end where it knows no pages, and answers the same each time', async () => {
      script(() => ({ status: 200, json: { ports: all } }));
      expect(await listed()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
      expect(asked()).toBe(2);
    });
  });

  it('count ports by the network service’s own count, and by listing where it gives none', async () => {
    const networks = new NetworkClient({ session });
    script(() => ({ status: 200, json: { quota: { port: { limit: 5, used: 3, reserved: 0 } } } }));
    expect(await networks.portsUsed(ctx, 'p1')).toBe(3);
    expect(peer.calls().at(-1)).toBe('GET /v2.0/quotas/p1/details.json');
    script(({ path }) =>
      path.includes('details') ? { status: 404 } : { status: 200, json: { ports: [{ id: 'a' }] } },
    );
    expect(await networks.portsUsed(ctx, 'p1')).toBe(1);
  });

  it('tell whether there is a project, and leave it open where they may not look', async () => {
    const identity = new IdentityClient({ session });
    script(({ path }) => ({ status: path === '/v3/projects/p1' ? 200 : path.endsWith('secret') ? 403 : 404 }));
    expect(await identity.projectExists(ctx, 'p1')).toBe(true);
    expect(await identity.projectExists(ctx, '../users')).toBe(false);
    expect(peer.seen.at(-1)!.path).toBe('/v3/projects/..%2Fusers');
    expect(await failure(identity.projectExists(ctx, 'secret'))).toMatchObject({ kind: 'forbidden' });
  });

  describe('token validation', () => {
    const looks = (): number => peer.seen.filter((s) => s.method === 'GET' && s.path === '/v3/auth/tokens').length;
    const holds = (seen: Seen): Reply =>
      seen.path.startsWith('/v3/OS-REVOKE')
        ? { status: 200, json: { events: [] } }
        : { ...(tokenReply('x', peer.url) as object), status: 200 };

    it('asks once for a token, however many ask, and believes the answer for a while', async () => {
      script(holds);
      const tokens = new TokenValidator({ session });
      await Promise.all([tokens.validate('user'), tokens.validate('user'), tokens.validate('user')]);
      await tokens.validate('user');
      expect(looks()).toBe(1);
      expect(await tokens.validate('user')).toMatchObject({
        userId: 'u1',
        projectId: 'p1',
        roles: ['service'],
        systemScope: null,
      });
    });

    it('drops at once what identity’s own process takes back', async () => {
      script(holds);
      let tell: (event: RevocationEvent) => void = () => undefined;
      const tokens = new TokenValidator({ session, onRevocation: (listener) => ((tell = listener), () => undefined) });
      await tokens.validate('user');
      tell({ userId: 'someone else' });
      tell({ userId: 'u1', projectId: 'another' });
      await tokens.validate('user');
      expect(looks()).toBe(1);
      for (const event of [
        { userId: 'u1' },
        { auditId: 'audit-x' },
        { projectId: 'p1' },
        { domainId: 'default' },
        {},
      ]) {
        const before = looks();
        tell(event);
        await tokens.validate('user');
        expect([event, looks()]).toEqual([event, before + 1]);
      }
    });

    it('does not keep an answer that a revocation overtook', async () => {
      let tell: (event: RevocationEvent) => void = () => undefined;
      script((seen) => {
        tell({ auditId: 'audit-x' });
        return holds(seen);
      });
      const tokens = new TokenValidator({ session, onRevocation: (listener) => ((tell = listener), () => undefined) });
      await tokens.validate('user');
      await tokens.validate('user');
      expect(looks()).toBe(2);
    });

    it('gives nobody who asks after a revocation an answer that was asked for before it', async () => {
      let tell: (event: RevocationEvent) => void = () => undefined;
      const tokens = new TokenValidator({ session, onRevocation: (listener) => ((tell = listener), () => undefined) });
      let later: Promise<unknown> | undefined;
      script((seen) => {
        if (!later) {
          tell({ auditId: 'audit-x' });
          later = tokens.validate('user');
        }
        return holds(seen);
      });
      await tokens.validate('user');
      await later;
      expect(looks()).toBe(2);
    });

    it('refuses a token that has expired since it was looked at', async () => {
      script(holds);
      const tokens = new TokenValidator({ session, pollMs: 0 });
      const { expiresAt } = await tokens.validate('user');
      const clock = jest.spyOn(Date, 'now');
      try {
        clock.mockReturnValue(expiresAt - 1);
        await expect(tokens.validate('user')).resolves.toMatchObject({ userId: 'u1' });
        clock.mockReturnValue(expiresAt);
        await expect(tokens.validate('user')).rejects.toMatchObject({ kind: 'unauthenticated' });
      } finally {
        clock.mockRestore();
      }
      expect(looks()).toBe(1);
    });

    it('reads revocation events where identity lives elsewhere, and each counts once', async () => {
      let events: object[] = [];
      script((seen) => (seen.path.startsWith('/v3/OS-REVOKE') ? { status: 200, json: { events } } : holds(seen)));
      const tokens = new TokenValidator({ session, pollMs: -1 });
      await tokens.validate('user');
      events = [{ user_id: 'u1', issued_before: '2026-01-01T00:00:00Z' }];
      await tokens.validate('user');
      expect(looks()).toBe(2);
      await tokens.validate('user');
      expect(looks()).toBe(2);
    });

    it('asks anew for the events of the time in which identity did not answer, and lets nobody wait for it', async () => {
      const asked: string[] = [];
      let events: (() => Reply) | undefined = () => ({ status: 200, json: { events: [] } });
      script((seen) => {
        if (!seen.path.startsWith('/v3/OS-REVOKE')) return holds(seen);
        asked.push(seen.path);
        return events?.() ?? 'hang';
      });
      const tokens = new TokenValidator({ session, pollMs: -1 });
      await tokens.validate('user');
      events = () => 'reset';
      await tokens.validate('user');
      events = undefined;
      // this reading hangs; who asks is answered all the same
      await tokens.validate('user');
      expect(looks()).toBe(1);
      const since = asked.map((path) => Date.parse(new URL(path, 'http://x').searchParams.get('since') ?? ''));
      expect(since[2]).toBe(since[1]);
    });

    it('calls an identity that is too slow unavailable, and says when to come again', async () => {
      script(() => 'hang');
      const tokens = new TokenValidator({ session, pollMs: 0, timeoutMs: 50 });
      expect(await failure(tokens.validate('user'))).toMatchObject({ kind: 'unavailable', retryAfter: 1 });
    });

    it('refuses what identity does not know, and says so when identity is silent', async () => {
      script(() => ({ status: 404 }));
      const tokens = new TokenValidator({ session, pollMs: 0 });
      expect(await failure(tokens.validate('user'))).toMatchObject({ kind: 'unauthenticated' });
      expect(await failure(tokens.validate(''))).toMatchObject({ kind: 'unauthenticated' });
      script(() => ({ status: 500 }));
      expect(await failure(tokens.validate('user'))).toMatchObject({ kind: 'unavailable' });
    });
  });
});
