// Writes docs/placement/api from the version table, schemas, policy rules and tested examples, and the made parts of
// docs/placement/candidates.md. With --check: exits 1 when a page is out of date.
//
// The answers in docs/placement/examples are recorded by apps/placement/test/api-docs.spec.ts.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { loadTs } from './load-ts.mjs';
import { describe, indexPage, resourcePage } from './placement-api/pages.mjs';
import { fillScenes } from './placement-api/scenes.mjs';

/** Pages in the order of the index. */
const PAGES = [
  'root',
  'resource-providers',
  'inventories',
  'aggregates',
  'traits',
  'resource-classes',
  'allocations',
  'allocation-candidates',
  'usages',
  'reshaper',
];
const root = resolve(import.meta.dirname, '../..');
const docs = resolve(root, 'docs/placement');
const api = 'apps/placement/src/api';

const controllers = readdirSync(resolve(root, api)).filter((f) => f.endsWith('.controller.ts'));
const known = await loadTs(
  'placement-api',
  [
    `import 'reflect-metadata';`,
    `import { operationsOf } from '@fractus/microversions';`,
    ...controllers.map((f, i) => `import * as C${i} from './${api}/${f.slice(0, -3)}';`),
    `export { jsonSchemaOf, edgesOfClass } from '@fractus/dto-schema';`,
    `export { placementRules as rules } from '@fractus/policy';`,
    `export { QUERIES as queries } from './${api}/query-schemas';`,
    `export { PLACEMENT_VERSIONS as versions } from './${api}/versions';`,
    `const all = [${controllers.map((_, i) => `C${i}`)}].flatMap((m) => Object.values(m));`,
    `export const operations = all.filter((c) => typeof c === 'function').flatMap((c) => operationsOf(c));`,
  ].join('\n'),
);

const example = (name) => JSON.parse(readFileSync(resolve(docs, `examples/${name}.json`), 'utf8'));
const described = describe(known);
const files = new Map();
const sources = PAGES.map((name) => ({ file: `${name}.md`, page: example(name) }));
for (const { file, page } of sources) for (const name of Object.keys(page.operations)) files.set(name, file);
const homeless = known.operations.filter((o) => !files.has(o.name)).map((o) => o.name);
if (homeless.length) throw new Error(`no page has ${homeless.join(', ')}`);
const inOrder = [...files.keys()].map((name) => described.find((d) => d.operation.name === name));

const candidates = resolve(docs, 'candidates.md');
const texts = new Map([
  ...sources.map(({ file, page }) => [resolve(docs, 'api', file), resourcePage(page, described, known)]),
  [
    resolve(docs, 'api/README.md'),
    indexPage(inOrder, files, { ...known, pages: sources.map(({ file, page }) => [file, page.title]) }),
  ],
  [candidates, fillScenes(readFileSync(candidates, 'utf8'), example('candidates'))],
]);

const stale = [];
mkdirSync(resolve(docs, 'api'), { recursive: true });
for (const [path, text] of texts) {
  const shaped = await format(text, { ...(await resolveConfig(path)), parser: 'markdown' });
  if (existsSync(path) && readFileSync(path, 'utf8') === shaped) continue;
  if (process.argv.includes('--check')) stale.push(path);
  else writeFileSync(path, shaped);
}
if (stale.length) {
  console.error(`${stale.join(', ')}: out of date: run node tools/generators/placement-api.mjs`);
  process.exit(1);
}
