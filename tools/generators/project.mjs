// Makes the folder of a new app or library: project.json, tsconfig, jest config, and the path in tsconfig.base.json.
// usage: node tools/generators/project.mjs libs/<name>|apps/<name> [--pure]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const [project, ...flags] = process.argv.slice(2);
const match = /^(libs|apps)\/([a-z][a-z0-9-]*)$/.exec(project ?? '');
if (!match) {
  console.error('usage: node tools/generators/project.mjs libs/<name>|apps/<name> [--pure]');
  process.exit(1);
}
const [, kind, name] = match;
const isApp = kind === 'apps';
const dir = resolve(root, project);
const put = (file, text) => {
  const path = resolve(dir, file);
  if (!existsSync(path)) writeFileSync(path, text);
};
mkdirSync(resolve(dir, 'src'), { recursive: true });
const tags = [
  isApp ? 'type:app' : 'type:lib',
  `scope:${name}`,
  ...(isApp ? [] : [flags.includes('--pure') ? 'layer:pure' : 'layer:io']),
];
const targets = { ...(isApp ? { build: {} } : {}), lint: {}, typecheck: {}, test: {} };
put(
  'project.json',
  `${JSON.stringify({ name, $schema: '../../node_modules/nx/schemas/project-schema.json', projectType: isApp ? 'application' : 'library', sourceRoot: `${project}/src`, tags, targets }, null, 2)}\n`,
);
put(
  'tsconfig.json',
  `${JSON.stringify({ extends: '../../tsconfig.base.json', compilerOptions: { tsBuildInfoFile: `../../tmp/tsbuildinfo/${name}.tsbuildinfo` }, include: ['src/**/*.ts', 'test/**/*.ts'] }, null, 2)}\n`,
);
put(
  'jest.config.cjs',
  `module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: '${name}', rootDir: __dirname };\n`,
);
if (!isApp) put('src/index.ts', 'export {};\n');

const base = resolve(root, 'tsconfig.base.json');
const config = JSON.parse(readFileSync(base, 'utf8'));
const alias = isApp ? `@fractus/app-${name}` : `@fractus/${name}`;
config.compilerOptions.paths[alias] = [isApp ? `./${project}/src/app.module.ts` : `./${project}/src/index.ts`];
config.compilerOptions.paths = Object.fromEntries(Object.entries(config.compilerOptions.paths).sort());
writeFileSync(base, `${JSON.stringify(config, null, 2)}\n`);
console.log(`${project}: import it as ${alias}`);
