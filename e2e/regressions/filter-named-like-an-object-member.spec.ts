import { useCloud } from '@fractus/testing';

/** `GET /servers?__proto__=1` found a filter of that name in the table's prototype, and was answered with a 500. */
describe('a filter named like a member of every object', () => {
  const cloud = useCloud({ hosts: 1 });

  it.each(['__proto__', 'constructor', 'toString', 'valueOf'])('is ignored like any unknown filter: %s', async (name) => {
    for (const path of ['/servers', '/servers/detail']) {
      const answer = await cloud().admin.compute.get(`${path}?${name}=1`);
      expect(answer).toMatchObject({ status: 200, body: { servers: [] } });
    }
  });
});
