import { useCloud } from '@fractus/testing';

/** `GET /servers?__proto__=1` found a reader for that filter in the prototype of their table: a 500. */
describe('a filter named like a member of every object', () => {
  const cloud = useCloud({ hosts: 1 });

  it.each([
    ['constructor', 200],
    ['toString', 200],
    // upstream refuses to filter by names with two underscores in front
    ['__proto__', 400],
  ])('is treated as any unknown filter: %s', async (name, status) => {
    for (const path of ['/servers', '/servers/detail'])
      expect(await cloud().admin.compute.get(`${path}?${name}=1`)).toMatchObject({ status });
  });
});
