import { eachDatabaseUrl } from '@fractus/database/testing';
import { call, IdentityRig, PASSWORD, type Token } from './identity-rig';

type Named = { id: string; name: string };
const DEMO = { project: { name: 'demo', domain: { name: 'Default' } } };

eachDatabaseUrl('identity', (newUrl) => {
  let rig: IdentityRig;
  let admin: string;

  beforeAll(async () => {
    rig = await IdentityRig.start(newUrl);
    admin = await rig.token('admin', 'admin');
  });
  afterAll(() => rig.close());

  const create = async <K extends string>(
    path: string,
    key: K,
    body: object,
  ): Promise<Named & Record<string, unknown>> => {
    const answer = await rig.call<Record<K, Named>>('POST', path, admin, { [key]: body });
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    return answer.body[key] as Named & Record<string, unknown>;
  };
  const idOf = async (collection: string, name: string): Promise<string> => {
    const answer = await rig.call<Record<string, Named[]>>('GET', `/${collection}?name=${name}`, admin);
    return answer.body[collection]![0]!.id;
  };
  let serial = 0;
  const newUser = async (role?: string): Promise<Named & { password: string }> => {
    const name = `user-${++serial}`;
    const user = await create('/users', 'user', { name, password: `pw-${name}` });
    if (role) {
      const path = `/projects/${await idOf('projects', 'demo')}/users/${user.id}/roles/${await idOf('roles', role)}`;
      expect((await rig.call('PUT', path, admin)).status).toBe(204);
    }
    return { ...user, password: `pw-${name}` };
  };
  const valid = async (token: string): Promise<number> =>
    (await rig.call('GET', '/auth/tokens', admin, undefined, { 'x-subject-token': token })).status;

  describe('versions', () => {
    it('lists one at the root with 300, and tells of itself at /v3', async () => {
      const root = await call<{ versions: { values: { id: string; links: { href: string }[] }[] } }>(
        'GET',
        `${rig.identity.url}/`,
      );
      expect(root.status).toBe(300);
      expect(root.body.versions.values[0]).toMatchObject({ id: 'v3.14', status: 'stable' });
      expect(root.body.versions.values[0]!.links[0]!.href).toBe(`${rig.identity.url}/v3/`);
      expect((await call('GET', rig.url)).status).toBe(200);
    });
  });

  describe('tokens', () => {
    it('carry user, project, implied roles and a catalog with the project filled in', async () => {
      const { status, body, headers } = await rig.login('demo', PASSWORD, DEMO);
      expect(status).toBe(201);
      expect(headers.get('x-subject-token')).toMatch(/^[\w-]{50,}$/);
      const { token } = body;
      expect(token.project!.name).toBe('demo');
      expect(token.roles!.map((r) => r.name)).toEqual(['member', 'reader']);
      expect(token.expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      const volume = token.catalog!.find((s) => s.type === 'block-storage')!;
      expect(volume.endpoints[0]!.url).toBe(`http://127.0.0.1:1/v3/${token.project!.id}`);
      expect(volume.endpoints.map((e) => e.interface).sort()).toEqual(['admin', 'internal', 'public']);
    });

    it('are unscoped where no scope is asked for, and know a domain and the system', async () => {
      const bare = await rig.login('admin', PASSWORD);
      expect(bare.status).toBe(201);
      expect(bare.body.token).not.toHaveProperty('project');
      expect(bare.body.token).not.toHaveProperty('catalog');
      const domain = await rig.login('admin', PASSWORD, { domain: { id: 'default' } });
      expect(domain.body.token.domain).toEqual({ id: 'default', name: 'Default' });
      const system = await rig.login('admin', PASSWORD, { system: { all: true } });
      expect(system.body.token.system).toEqual({ all: true });
      expect((await rig.login('demo', PASSWORD, { system: { all: true } })).status).toBe(401);
    });

    it('are made from tokens for another scope, and live no longer than those', async () => {
      const bare = await rig.login('admin', PASSWORD, 'unscoped');
      const id = bare.headers.get('x-subject-token')!;
      const scoped = await rig.auth(
        { methods: ['token'], token: { id } },
        { project: { name: 'admin', domain: { id: 'default' } } },
      );
      expect(scoped.status).toBe(201);
      expect(scoped.body.token.expires_at).toBe(bare.body.token.expires_at);
      expect(scoped.body.token.audit_ids[1]).toBe(bare.body.token.audit_ids[0]);
      expect(scoped.body.token.methods.sort()).toEqual(['password', 'token']);
    });

    it.each([
      ['a wrong password', { name: 'admin', password: 'no' }],
      ['an unknown user', { name: 'nobody', password: PASSWORD }],
    ])('are refused for %s', async (_what, { name, password }) => {
      const answer = await rig.login(name, password, DEMO);
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual({
        error: { code: 401, title: 'Unauthorized', message: 'The request you have made requires authentication.' },
      });
    });

    it('are refused for a project without a role, or one that is not there', async () => {
      const user = await newUser();
      expect((await rig.login(user.name, user.password, DEMO)).status).toBe(401);
      expect((await rig.login('admin', PASSWORD, { project: { id: 'nope' } })).status).toBe(401);
    });

    it('survive a restart, and a stranger’s do not pass', async () => {
      const token = await rig.token('demo', 'demo');
      await rig.restart();
      await rig.bootstrap();
      admin = await rig.token('admin', 'admin');
      expect(await valid(token)).toBe(200);
      expect(await valid(`${token.slice(0, -2)}xx`)).toBe(404);
      expect((await rig.call('GET', '/users', 'gAAAAbogus')).status).toBe(401);
    });

    it('may be looked at by their owner and by services, by no one else', async () => {
      const [demo, nova] = [await rig.token('demo', 'demo'), await rig.token('nova', 'service', 'nova-secret')];
      const look = (by: string, at: string) =>
        rig.call<{ token: Token }>('GET', '/auth/tokens', by, undefined, { 'x-subject-token': at });
      expect((await look(demo, demo)).body.token.user.name).toBe('demo');
      expect((await look(nova, demo)).status).toBe(200);
      expect((await look(demo, admin)).status).toBe(403);
      const head = await rig.call('HEAD', '/auth/tokens', nova, undefined, { 'x-subject-token': demo });
      expect([head.status, head.headers.get('x-subject-token')]).toEqual([200, demo]);
    });
  });

  describe('revocation', () => {
    it('takes back one token by DELETE', async () => {
      const [one, two] = [await rig.token('demo', 'demo'), await rig.token('demo', 'demo')];
      expect((await rig.call('DELETE', '/auth/tokens', admin, undefined, { 'x-subject-token': one })).status).toBe(204);
      expect([await valid(one), await valid(two)]).toEqual([404, 200]);
    });

    it('takes back all of a user when the password changes; new ones hold at once', async () => {
      const user = await newUser('member');
      const old = await rig.token(user.name, 'demo', user.password);
      const wrong = await rig.call('POST', `/users/${user.id}/password`, undefined, {
        user: { original_password: 'x', password: 'y' },
      });
      expect(wrong.status).toBe(401);
      const change = await rig.call('POST', `/users/${user.id}/password`, old, {
        user: { original_password: user.password, password: 'next' },
      });
      expect(change.status).toBe(204);
      expect(await valid(old)).toBe(404);
      expect(await valid(await rig.token(user.name, 'demo', 'next'))).toBe(200);
    });

    it('takes back tokens of a disabled user and of a disabled project, for good', async () => {
      const user = await newUser('member');
      const project = await create('/projects', 'project', { name: 'closing' });
      await rig.call('PUT', `/projects/${project.id}/users/${user.id}/roles/${await idOf('roles', 'member')}`, admin);
      const [there, here] = [
        await rig.token(user.name, 'demo', user.password),
        await rig.token(user.name, 'closing', user.password),
      ];
      await rig.call('PATCH', `/projects/${project.id}`, admin, { project: { enabled: false } });
      expect([await valid(there), await valid(here)]).toEqual([200, 404]);
      await rig.call('PATCH', `/projects/${project.id}`, admin, { project: { enabled: true } });
      expect(await valid(here)).toBe(404);
      await rig.call('PATCH', `/users/${user.id}`, admin, { user: { enabled: false } });
      expect(await valid(there)).toBe(404);
      expect((await rig.login(user.name, user.password)).status).toBe(401);
    });

    it('follows a withdrawn role, and tells of it in the events', async () => {
      const user = await newUser('member');
      const token = await rig.token(user.name, 'demo', user.password);
      const heard: unknown[] = [];
      const stop = rig.identity.onRevocation((e) => heard.push(e));
      await rig.call(
        'DELETE',
        `/projects/${await idOf('projects', 'demo')}/users/${user.id}/roles/${await idOf('roles', 'member')}`,
        admin,
      );
      stop();
      expect(heard).toEqual([{ userId: user.id }]);
      expect(await valid(token)).toBe(404);
      const events = await rig.call<{ events: { user_id?: string }[] }>(
        'GET',
        '/OS-REVOKE/events?since=2026-01-01T00:00:00Z',
        admin,
      );
      expect(events.body.events.some((e) => e.user_id === user.id)).toBe(true);
      expect((await rig.call('GET', '/OS-REVOKE/events', await rig.token('demo', 'demo'))).status).toBe(403);
    });
  });

  describe('application credentials', () => {
    const make = async (token: string, userId: string, more: object = {}) =>
      rig.call<{ application_credential: { id: string; secret: string } }>(
        'POST',
        `/users/${userId}/application_credentials`,
        token,
        {
          application_credential: { name: `cred-${++serial}`, ...more },
        },
      );
    const loginWith = (id: string, secret: string) =>
      rig.auth({ methods: ['application_credential'], application_credential: { id, secret } });

    it('log in on their own project, until they are removed', async () => {
      const user = await newUser('member');
      const token = await rig.token(user.name, 'demo', user.password);
      const made = await make(token, user.id, { secret: 'mine', roles: [{ name: 'reader' }] });
      expect(made.status).toBe(201);
      const { id } = made.body.application_credential;
      const login = await loginWith(id, 'mine');
      expect(login.status).toBe(201);
      expect(login.body.token).toMatchObject({
        project: { name: 'demo' },
        application_credential: { id, restricted: true },
      });
      expect(login.body.token.roles!.map((r) => r.name)).toEqual(['reader']);
      expect((await loginWith(id, 'guess')).status).toBe(401);
      const named = await rig.auth({
        methods: ['application_credential'],
        application_credential: {
          name: `cred-${serial}`,
          secret: 'mine',
          user: { name: user.name, domain: { id: 'default' } },
        },
      });
      expect(named.status).toBe(201);
      const held = login.headers.get('x-subject-token')!;
      expect((await make(held, user.id)).status).toBe(403);
      expect((await rig.call('DELETE', `/users/${user.id}/application_credentials/${id}`, token)).status).toBe(204);
      expect([await valid(held), (await loginWith(id, 'mine')).status]).toEqual([404, 401]);
    });

    it('cannot be given roles that their maker has not, nor be made for another', async () => {
      const user = await newUser('member');
      const token = await rig.token(user.name, 'demo', user.password);
      expect((await make(token, user.id, { roles: [{ name: 'admin' }] })).status).toBe(403);
      expect((await make(admin, user.id)).status).toBe(403);
      expect((await make(token, user.id, { expires_at: '2001-01-01T00:00:00Z' })).status).toBe(400);
    });
  });

  describe('records', () => {
    it('are made, changed, found by name and removed; unknown members are kept', async () => {
      const made = await create('/projects', 'project', {
        name: 'lab',
        purpose: 'tests',
        tokens_not_before: 9,
        id: 'mine',
      });
      expect(made).toMatchObject({
        name: 'lab',
        domain_id: 'default',
        enabled: true,
        purpose: 'tests',
        is_domain: false,
      });
      expect(made.id).not.toBe('mine');
      const path = `/projects/${made.id}`;
      // members of an object that is no text must not be asked for theirs
      for (const domain_id of ['x', { toString: 1 }, null]) {
        const refused = await rig.call('PATCH', path, admin, { project: { description: 'e', domain_id } });
        expect(refused).toMatchObject({
          status: 400,
          body: { error: { message: expect.stringContaining('project.domain_id') } },
        });
      }
      const changed = await rig.call('PATCH', path, admin, { project: { description: 'd', domain_id: 'default' } });
      expect(changed.body).toMatchObject({ project: { description: 'd', domain_id: 'default', purpose: 'tests' } });
      expect((await rig.call('POST', '/projects', admin, { project: { name: 'lab' } })).status).toBe(409);
      expect((await rig.call('DELETE', path, admin)).status).toBe(204);
      const gone = await rig.call('GET', path, admin);
      expect(gone.body).toEqual({
        error: { code: 404, title: 'Not Found', message: `Could not find project: ${made.id}.` },
      });
    });

    it('are the administrator’s to change and each user’s own to see', async () => {
      const user = await newUser('member');
      const token = await rig.token(user.name, 'demo', user.password);
      expect((await rig.call('GET', '/users', token)).status).toBe(403);
      expect((await rig.call('POST', '/users', token, { user: { name: 'x' } })).status).toBe(403);
      const own = await rig.call<{ user: object }>('GET', `/users/${user.id}`, token);
      expect(own.status).toBe(200);
      expect(JSON.stringify(own.body)).not.toMatch(/password_hash|scrypt/);
      expect(
        (await rig.call<{ projects: Named[] }>('GET', `/users/${user.id}/projects`, token)).body.projects.map(
          (p) => p.name,
        ),
      ).toEqual(['demo']);
      expect(
        (await rig.call<{ projects: Named[] }>('GET', '/auth/projects', token)).body.projects.map((p) => p.name),
      ).toEqual(['demo']);
    });

    it('give roles to groups, list them with names and spell out what they imply', async () => {
      const user = await newUser();
      const group = await create('/groups', 'group', { name: 'crew' });
      expect((await rig.call('PUT', `/groups/${group.id}/users/${user.id}`, admin)).status).toBe(204);
      const project = await idOf('projects', 'demo');
      const path = `/projects/${project}/groups/${group.id}/roles/${await idOf('roles', 'manager')}`;
      expect([(await rig.call('PUT', path, admin)).status, (await rig.call('HEAD', path, admin)).status]).toEqual([
        204, 204,
      ]);
      const login = await rig.login(user.name, user.password, DEMO);
      expect(login.body.token.roles!.map((r) => r.name)).toEqual(['manager', 'member', 'reader']);
      type Shown = { role_assignments: { role: Named; group?: Named; user?: Named }[] };
      const direct = await rig.call<Shown>('GET', `/role_assignments?group.id=${group.id}&include_names`, admin);
      expect(direct.body.role_assignments).toMatchObject([
        { role: { name: 'manager' }, group: { name: 'crew' }, scope: { project: { name: 'demo' } } },
      ]);
      const effective = await rig.call<Shown>(
        'GET',
        `/role_assignments?user.id=${user.id}&effective&include_names=true`,
        admin,
      );
      expect(effective.body.role_assignments.map((a) => a.role.name).sort()).toEqual(['manager', 'member', 'reader']);
    });

    it('keep a domain that is enabled, and take its users along when it goes', async () => {
      const domain = await create('/domains', 'domain', { name: 'elsewhere' });
      const user = await create('/users', 'user', { name: 'resident', domain_id: domain.id, password: 'p' });
      expect((await rig.call('DELETE', `/domains/${domain.id}`, admin)).status).toBe(403);
      await rig.call('PATCH', `/domains/${domain.id}`, admin, { domain: { enabled: false } });
      expect((await rig.call('DELETE', `/domains/${domain.id}`, admin)).status).toBe(204);
      expect((await rig.call('GET', `/users/${user.id}`, admin)).status).toBe(404);
    });

    it('may have other URLs for services than for clients', async () => {
      await rig.bootstrap({ object: { public: 'http://127.0.0.1:1', internal: 'http://object:1' } });
      const { body } = await rig.login('demo', PASSWORD, DEMO);
      const urls = body.token.catalog!.find((s) => s.type === 'object')!.endpoints.map((e) => [e.interface, e.url]);
      expect(Object.fromEntries(urls)).toEqual({
        public: 'http://127.0.0.1:1',
        internal: 'http://object:1',
        admin: 'http://127.0.0.1:1',
      });
    });

    it('make up the catalog', async () => {
      const service = await create('/services', 'service', { type: 'dns', name: 'designate' });
      const endpoint = {
        service_id: service.id,
        interface: 'public',
        url: 'http://dns.example/v2',
        region: 'RegionOne',
      };
      await create('/endpoints', 'endpoint', endpoint);
      expect((await rig.call('POST', '/endpoints', admin, { endpoint: { ...endpoint, region: 'Mars' } })).status).toBe(
        400,
      );
      const { body } = await rig.login('demo', PASSWORD, DEMO);
      expect(body.token.catalog!.find((s) => s.type === 'dns')!.endpoints).toMatchObject([
        { url: 'http://dns.example/v2', region: 'RegionOne' },
      ]);
      expect((await rig.call('DELETE', `/services/${service.id}`, admin)).status).toBe(204);
      expect(
        (await rig.call<{ endpoints: unknown[] }>('GET', `/endpoints?service_id=${service.id}`, admin)).body.endpoints,
      ).toEqual([]);
    });
  });
});
