/**
 * The examples in the pages of docs/placement: each is sent to a placement, in order, and has to be answered as the page
 * shows. `PLACEMENT_EXAMPLES=record` writes the answers into the files instead; the pages are then made anew by
 * tools/generators/placement-api.mjs, which the last test holds them against.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type PlacementService, startPlacementForTest } from './service';

interface Example {
  /** The operation that it is of; without it, it only makes what later ones need. */
  of?: string;
  title?: string;
  request: {
    method: string;
    path: string;
    version?: string;
    body?: unknown;
    token?: null;
    headers?: Record<string, string>;
  };
  status?: number;
  location?: string;
  answer?: unknown;
}

interface Provider {
  name: string;
  parent?: string;
  inventories?: Record<string, number | { total: number }>;
  traits?: string[];
  aggregates?: string[];
  used?: Record<string, number>;
}

interface Scene {
  estate: Provider[];
  /** Where limited queries begin. */
  start?: number;
  queries: { query: string; version?: string; candidates?: unknown }[];
}

const root = resolve(__dirname, '../../..');
const folder = join(root, 'docs/placement/examples');
const recording = process.env['PLACEMENT_EXAMPLES'] === 'record';
const SCENES = 'candidates.json';
const read = <T>(file: string): T => JSON.parse(readFileSync(join(folder, file), 'utf8')) as T;
const write = (file: string, data: unknown): void =>
  writeFileSync(join(folder, file), `${JSON.stringify(data, null, 2)}\n`);

/** Names as uuids and back. */
const uuidOf = (kind: 'c' | 'a' | 'b', n: number): string =>
  `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** What differs from run to run has one fixed value in the pages. */
function fixed(value: unknown, url: string): unknown {
  const text = JSON.stringify(value)
    .replace(/"request_id":"[^"]*"/g, '"request_id":"req-6c7a2b9e-4a41-4d6b-9a6f-0b8b8f3a7c11"')
    .replaceAll(url, 'http://placement:8778');
  return JSON.parse(text) as unknown;
}

async function answerTo(service: PlacementService, { request, ...known }: Example): Promise<Example> {
  const { method, path, version = '1.39', body, token, headers } = request;
  const answer = await service.call(method, path, {
    version,
    body,
    ...(token === null ? { token } : {}),
    ...(headers === undefined ? {} : { headers }),
  });
  const location = answer.headers.get('location');
  const { of, title } = known;
  return {
    ...(of === undefined ? {} : { of }),
    ...(title === undefined ? {} : { title }),
    request,
    status: answer.status,
    ...(location === null ? {} : { location: fixed(location, service.url) as string }),
    ...(answer.body === undefined ? {} : { answer: fixed(answer.body, service.url) }),
  };
}

const pages = readdirSync(folder).filter((f) => f.endsWith('.json') && f !== SCENES);

describe('examples of the API pages', () => {
  it.each(pages)('%s', async (file) => {
    const page = read<{ examples: Example[] }>(file);
    const service = await startPlacementForTest();
    try {
      const answers: Example[] = [];
      for (const example of page.examples) answers.push(await answerTo(service, example));
      expect(answers.filter((a) => a.of === undefined && (a.status ?? 0) >= 300)).toEqual([]);
      if (recording) write(file, { ...page, examples: answers });
      else expect(answers).toEqual(page.examples);
    } finally {
      await service.close();
    }
  });
});

/** Makes the estate of a scene; returns uuids by name. */
async function build(service: PlacementService, estate: readonly Provider[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const send = async (method: string, path: string, body?: unknown): Promise<void> => {
    const { status, body: answer } = await service.call(method, path, { version: '1.39', body });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  };
  for (const name of new Set(estate.flatMap((p) => p.aggregates ?? []))) ids.set(name, uuidOf('a', ids.size + 1));
  for (const [n, p] of estate.entries()) {
    const uuid = uuidOf('b', n + 1);
    const path = `/resource_providers/${uuid}`;
    ids.set(p.name, uuid);
    await send('POST', '/resource_providers', {
      name: p.name,
      uuid,
      ...(p.parent === undefined ? {} : { parent_provider_uuid: ids.get(p.parent) }),
    });
    const inventories = Object.entries(p.inventories ?? {}).map(([rc, i]) => [
      rc,
      typeof i === 'number' ? { total: i } : i,
    ]);
    for (const name of Object.keys(p.inventories ?? {}).filter((rc) => rc.startsWith('CUSTOM_')))
      await send('PUT', `/resource_classes/${name}`);
    for (const trait of (p.traits ?? []).filter((t) => t.startsWith('CUSTOM_'))) await send('PUT', `/traits/${trait}`);
    let generation = 0;
    const set = (what: string, value: unknown): Promise<void> =>
      send('PUT', `${path}/${what}`, { resource_provider_generation: generation++, [what]: value });
    if (inventories.length) await set('inventories', Object.fromEntries(inventories));
    if (p.traits) await set('traits', p.traits);
    if (p.aggregates)
      await set(
        'aggregates',
        p.aggregates.map((a) => ids.get(a)),
      );
    if (p.used)
      await send('PUT', `/allocations/${uuidOf('c', n + 1)}`, {
        allocations: { [uuid]: { resources: p.used } },
        project_id: 'p',
        user_id: 'u',
        consumer_generation: null,
        consumer_type: 'INSTANCE',
      });
  }
  return ids;
}

describe('queries of the page on candidates', () => {
  const scenes = read<Record<string, Scene>>(SCENES);
  const seen: Record<string, Scene> = {};
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => {
    if (recording) write(SCENES, { ...scenes, ...seen });
  });

  it.each(Object.keys(scenes))('%s', async (name) => {
    const scene = scenes[name]!;
    if (scene.start !== undefined) jest.spyOn(Math, 'random').mockReturnValue(scene.start);
    const service = await startPlacementForTest();
    try {
      const ids = await build(service, scene.estate);
      const queries: Scene['queries'] = [];
      for (const asked of scene.queries) {
        const query = asked.query.replace(/\{(\w+)\}/g, (_, n: string) => ids.get(n) ?? n);
        const { status, body } = await service.call('GET', `/allocation_candidates?${query}`, {
          version: asked.version ?? '1.39',
        });
        expect({ status, body }).toMatchObject({ status: 200 });
        let text = JSON.stringify((body as { allocation_requests: unknown }).allocation_requests);
        for (const [n, uuid] of ids) text = text.replaceAll(uuid, n);
        queries.push({ ...asked, candidates: JSON.parse(text) as unknown });
      }
      seen[name] = { ...scene, queries };
      if (!recording) expect(queries).toEqual(scene.queries);
    } finally {
      await service.close();
    }
  });
});

it('the pages are what the version table, the schemas and the examples say', () => {
  if (recording) return;
  execFileSync(process.execPath, [join(root, 'tools/generators/placement-api.mjs'), '--check'], { stdio: 'pipe' });
});
