/** Sends the examples of docs/capabilities.md in their order, and compares. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { eventually, Servers, useCloud } from '@fractus/testing';

interface Example {
  readonly request: string;
  readonly answer?: unknown;
}

function examplesOf(text: string): Example[] {
  const fences = [...text.matchAll(/^```(http|json)\n(.*?)\n```$/gms)].map(([, kind, body = '']) => ({ kind, body }));
  return fences.flatMap(({ kind, body }, i) => {
    const next = fences[i + 1];
    if (kind !== 'http') return [];
    return [{ request: body, ...(next?.kind === 'json' ? { answer: JSON.parse(next.body) as unknown } : {}) }];
  });
}

/** Where an answer is not as shown. `…`: any value, more members, more items, any part of a text. */
function differences(shown: unknown, real: unknown, at = ''): string[] {
  if (shown === '…') return [];
  if (typeof shown === 'string') {
    const parts = shown.split('…').map((p) => p.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return typeof real === 'string' && new RegExp(`^${parts.join('.*')}$`, 's').test(real) ? [] : [`${at}: ${real}`];
  }
  if (Array.isArray(shown)) {
    const list = Array.isArray(real) ? real : [];
    const open = shown.at(-1) === '…';
    const items = open ? shown.slice(0, -1) : shown;
    if (!open && list.length !== items.length) return [`${at}: ${JSON.stringify(real)}`];
    if (!open) return items.flatMap((item, i) => differences(item, list[i], `${at}[${i}]`));
    return items
      .filter((item) => !list.some((r) => differences(item, r).length === 0))
      .map((item) => `${at}: no ${item}`);
  }
  if (typeof shown !== 'object' || shown === null || typeof real !== 'object' || real === null)
    return shown === real ? [] : [`${at}: ${JSON.stringify(real)}`];
  const { '…': more, ...members } = shown as Record<string, unknown>;
  const theirs = real as Record<string, unknown>;
  const extra = more === undefined ? Object.keys(theirs).filter((k) => !(k in members)) : [];
  return [
    ...extra.map((k) => `${at}.${k} is not shown`),
    ...Object.entries(members).flatMap(([k, v]) =>
      k in theirs ? differences(v, theirs[k], `${at}.${k}`) : [`${at}.${k} is missing`],
    ),
  ];
}

describe('docs/capabilities.md', () => {
  const cloud = useCloud({ hosts: 1 });
  const examples = examplesOf(readFileSync(resolve(__dirname, '../../../docs/capabilities.md'), 'utf8'));

  it('shows what is answered', async () => {
    const { admin, demo } = cloud();
    const servers = new Servers(demo);
    const server = await servers.boot();
    // somebody asked for what no host has
    await admin.placement.put('/traits/CUSTOM_GOLD', undefined, { version: '1.39' });
    const flavor = { name: 'gold', id: 'gold', ram: 64, vcpus: 1, disk: 1 };
    await admin.compute.post('/flavors', { flavor });
    await admin.compute.post('/flavors/gold/os-extra_specs', { extra_specs: { 'trait:CUSTOM_GOLD': 'required' } });
    await servers.becomes(await servers.create({ server: { flavorRef: 'gold' } }), 'ERROR');
    const hypervisor = (await admin.compute.get('/os-hypervisors', { version: '2.104' })).body.hypervisors[0].id;

    let compared = 0;
    for (const { request, answer } of examples) {
      const [method = '', path = '', body] = request
        .replace('{server}', server)
        .replace('{hypervisor}', hypervisor)
        .split(' ', 3);
      const given = request.slice(request.indexOf('{"'));
      const who = path.startsWith('/os-hypervisors') ? admin : demo;
      const real = await who.compute.call(method, path, body ? JSON.parse(given) : undefined, { version: '2.104' });
      expect([request, real.status]).toEqual([request, method === 'POST' ? 202 : 200]);
      if (method === 'POST')
        await eventually(
          'it is done',
          async () => (await servers.show(server))['OS-EXT-STS:task_state'] === null || 'busy',
        );
      if (answer === undefined) continue;
      expect([request, differences(answer, real.body)]).toEqual([request, []]);
      compared++;
    }
    expect(compared).toBe(5);
  });

  it('would be found out', () => {
    expect(differences({ a: 1 }, { a: 2 })).toHaveLength(1);
    expect(differences({ a: 1 }, { a: 1, b: 1 })).toHaveLength(1);
    expect(differences({ a: 1, '…': '…' }, { b: 1 })).toHaveLength(1);
    expect(differences(['x', '…'], ['y'])).toHaveLength(1);
    expect(differences(['x'], ['x', 'y'])).toHaveLength(1);
    expect(differences('a … c', 'a b d')).toHaveLength(1);
    expect(differences({ a: ['x', '…'], b: 'a … c', '…': '…' }, { a: ['y', 'x'], b: 'a b c', c: 1 })).toEqual([]);
  });
});
