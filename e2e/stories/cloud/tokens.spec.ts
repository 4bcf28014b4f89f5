import { eventually, Servers, useCloud } from '@fractus/testing';

describe('tokens', () => {
  const cloud = useCloud({ hosts: 1 });
  const asked = async (service: 'compute' | 'placement' | 'image' | 'network', token: string | undefined) => {
    const paths = {
      compute: '/v2.1/servers',
      placement: '/resource_providers',
      image: '/v2/images',
      network: '/v2.0/networks',
    };
    const headers: Record<string, string> = token === undefined ? {} : { 'x-auth-token': token };
    return (await fetch(`${cloud().urls[service]}${paths[service]}`, { headers })).status;
  };
  /** A service in a process of its own asks identity for revocations every few seconds. */
  const isRefused = (service: 'compute' | 'placement' | 'image' | 'network', token: string) =>
    eventually(`${service} refuses the token`, async () => {
      const status = await asked(service, token);
      return status === 401 || String(status);
    });

  it.each(['compute', 'placement', 'image', 'network'] as const)(
    'are needed by %s, and honoured no longer once revoked',
    async (service) => {
      const user = cloud().admin;
      user.forgetToken();
      const token = await user.authenticate();
      expect(await asked(service, undefined)).toBe(401);
      expect(await asked(service, 'rubbish')).toBe(401);
      expect(await asked(service, token)).toBe(200);
      const revoked = await fetch(`${cloud().urls.identity}/v3/auth/tokens`, {
        method: 'DELETE',
        headers: { 'x-auth-token': token, 'x-subject-token': token },
      });
      expect(revoked.status).toBe(204);
      await isRefused(service, token);
      user.forgetToken();
    },
  );

  it('of a user who is disabled, or loses the role, are worth nothing', async () => {
    const { identity } = cloud().admin;
    const disabled = await cloud().newUser({ name: 'disabled' });
    const token = await disabled.authenticate();
    expect(await asked('compute', token)).toBe(200);
    await identity.call('PATCH', `/users/${await disabled.userId()}`, { user: { enabled: false } });
    await isRefused('compute', token);

    const former = await cloud().newUser({ name: 'former' });
    const other = await former.authenticate();
    expect(await asked('compute', other)).toBe(200);
    const [role] = (await identity.get('/roles?name=member')).body.roles;
    await identity.delete(`/projects/${await former.projectId()}/users/${await former.userId()}/roles/${role.id}`);
    await isRefused('compute', other);
  });

  it('by application credential boot a server', async () => {
    const { demo } = cloud();
    const made = await demo.identity.post(`/users/${await demo.userId()}/application_credentials`, {
      application_credential: { name: 'robot' },
    });
    const { id, secret } = made.body.application_credential;
    const body = JSON.stringify({
      auth: { identity: { methods: ['application_credential'], application_credential: { id, secret } } },
    });
    const answer = await fetch(`${cloud().urls.identity}/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBe(201);
    const headers = { 'x-auth-token': answer.headers.get('x-subject-token') ?? '' };
    const servers = new Servers(demo);
    const id_ = (await servers.request({ headers })).body.server.id;
    await servers.becomes(id_, 'ACTIVE');
    await servers.delete(id_);
  });
});
