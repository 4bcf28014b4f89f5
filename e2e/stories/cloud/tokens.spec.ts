import { Servers, useCloud } from '@fractus/testing';

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
    return (await fetch(`${cloud().cloud.urls[service].replace(/\/$/, '')}${paths[service]}`, { headers })).status;
  };

  it.each(['compute', 'placement', 'image', 'network'] as const)(
    'are needed by %s, and honoured no longer once revoked',
    async (service) => {
      const user = cloud().admin;
      user.forgetToken();
      const token = await user.authenticate();
      expect(await asked(service, undefined)).toBe(401);
      expect(await asked(service, 'rubbish')).toBe(401);
      expect(await asked(service, token)).toBe(200);
      const revoked = await fetch(`${cloud().cloud.urls.identity.replace(/\/$/, '')}/v3/auth/tokens`, {
        method: 'DELETE',
        headers: { 'x-auth-token': token, 'x-subject-token': token },
      });
      expect(revoked.status).toBe(204);
      expect(await asked(service, token)).toBe(401);
      user.forgetToken();
    },
  );

  it('of a user who is disabled, or loses the role, are worth nothing', async () => {
    const { identity } = cloud().admin;
    const disabled = await cloud().newUser({ name: 'disabled' });
    const token = await disabled.authenticate();
    expect(await asked('compute', token)).toBe(200);
    await identity.call('PATCH', `/users/${await disabled.userId()}`, { user: { enabled: false } });
    expect(await asked('compute', token)).toBe(401);

    const former = await cloud().newUser({ name: 'former' });
    const other = await former.authenticate();
    expect(await asked('compute', other)).toBe(200);
    const [role] = (await identity.get('/roles?name=member')).body.roles;
    await identity.delete(`/projects/${await former.projectId()}/users/${await former.userId()}/roles/${role.id}`);
    expect(await asked('compute', other)).toBe(401);
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
    const answer = await fetch(`${cloud().cloud.urls.identity.replace(/\/$/, '')}/v3/auth/tokens`, {
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
