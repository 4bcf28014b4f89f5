import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { placementApi } from './access';
import { microversionAtLeast } from './api';

describe('an API that operators ask', () => {
  let server: Server;
  let url: string;
  let highest = '1.39';
  const asked: IncomingMessage[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request);
      const root = request.url === '/' ? { versions: [{ max_version: highest }] } : {};
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(root));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it.each([
    ['1.39', '1.39'],
    ['1.100', '1.39'],
    ['1.36', '1.36'],
  ])('that goes up to %s is asked with %s', async (has, used) => {
    highest = has;
    const api = placementApi({}, { endpoint: `${url}/`, token: 't' });
    await api.get('/traits');
    expect(asked.at(-1)?.headers).toMatchObject({ 'openstack-api-version': `placement ${used}`, 'x-auth-token': 't' });
  });

  it('that is too old, or none, is refused', async () => {
    highest = '1.9';
    const old = placementApi({ OS_TOKEN: 't' }, { endpoint: url });
    await expect(old.get('/traits')).rejects.toMatchObject({ kind: 'unavailable', code: 'operator.api_version' });
    highest = '1.36';
    expect(await old.version()).toBe('1.36');
    const none = placementApi({}, { endpoint: `${url}/elsewhere`, token: 't' });
    await expect(none.get('/traits')).rejects.toThrow('is no placement API');
  });

  it('is asked as somebody', () => {
    expect(() => placementApi({})).toThrow('say as whom');
    expect(() => placementApi({ OS_TOKEN: 't' })).toThrow('give --endpoint URL');
    const env = { OS_AUTH_URL: 'http://i', OS_USERNAME: 'u', OS_PASSWORD: 'p' };
    expect(() => placementApi(env)).toThrow('OS_PROJECT_NAME is not set');
    const named = { ...env, OS_PROJECT_NAME: 'x', OS_USER_DOMAIN_NAME: 'corp' };
    expect(() => placementApi(named)).toThrow('give OS_USER_DOMAIN_ID');
    expect(() => placementApi({ ...named, OS_USER_DOMAIN_ID: 'c', OS_INTERFACE: 'left' })).toThrow('OS_INTERFACE');
    expect(placementApi({ ...named, OS_USER_DOMAIN_ID: 'c', OS_INTERFACE: 'internalURL' })).toBeDefined();
  });

  it('has microversions that are numbers', () => {
    const cases = [['1.36', '1.36'], ['1.100', '1.36'], ['2.0', '1.36'], ['1.9', '1.36']] as const; // prettier-ignore
    expect(cases.map(([has, needed]) => microversionAtLeast(has, needed))).toEqual([true, true, true, false]);
  });
});
