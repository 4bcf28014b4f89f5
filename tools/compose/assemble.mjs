#!/usr/bin/env node
// Lays out what the image holds in a folder: the bundles of all services and tools, the packages they need at run time,
// and the few scripts beside them. Used by the Dockerfile, and by prepare.mjs for an image without a build inside.
//
//   node tools/compose/assemble.mjs FOLDER        needs what `npm ci` installs; FOLDER is emptied first
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './lib/folders.mjs';

const APPS = ['companions', 'placement', 'scheduler', 'conductor', 'compute-api', 'compute-agent'];
/** Of the tools, those that run against a cloud. */
const TOOLS = ['migrate', 'tasks', 'doctor'];
const BESIDE = [
  'package.json',
  'LICENSE',
  'tools/compose/image',
  // the seed
  'tools/cluster/lib/seed.mjs',
  'tools/start/checks.mjs',
  'apps/cloud/src/first-records.json',
];
/** What packages bring along and no program reads. */
const UNREAD = [/\.map$/, /\.d\.[cm]?ts$/, /\.md$/i, /(^|\/)\.cache(\/|$)/];
const UNREAD_OF = {
  typeorm: /^browser\//,
  'better-sqlite3': /^(deps|src|binding\.gyp|build\/(?!Release)|build\/Release\/(?!better_sqlite3\.node))/,
};

/** Builds and copies; returns the folder's size in bytes. */
export function assemble(folder) {
  const to = resolve(folder);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const tools = TOOLS.filter((t) => existsSync(join(root, 'tools', t, 'src/main.ts')));
  for (const project of [...APPS.map((a) => `apps/${a}`), ...tools.map((t) => `tools/${t}`)]) {
    build(project);
    copy(`dist/${project}/main.js`, to);
  }
  for (const path of BESIDE) copy(path, to);
  for (const path of runtimePackages()) copyPackage(path, to);
  return sizeOf(to);
}

function build(project) {
  const done = spawnSync(process.execPath, [join(root, 'tools/build/build.mjs'), project], {
    cwd: root,
    stdio: 'inherit',
  });
  if (done.status !== 0) throw new Error(`${project} does not build`);
}

function copy(path, to) {
  mkdirSync(dirname(join(to, path)), { recursive: true });
  cpSync(join(root, path), join(to, path), { recursive: true });
}

/** Folders of the packages that are no development's, by the lock file; those of other platforms are not installed. */
function runtimePackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, { dev, devOptional, link }]) => path !== '' && !dev && !devOptional && !link)
    .map(([path]) => path)
    .filter((path) => existsSync(join(root, path)));
}

function copyPackage(path, to) {
  const from = join(root, path);
  const own = UNREAD_OF[path.replace(/^.*node_modules\//, '')];
  const filter = (file) => {
    const name = relative(from, file).split(sep).join('/');
    // what lies in a package's own node_modules has a line of its own in the lock file
    return name !== 'node_modules' && !UNREAD.some((r) => r.test(name)) && !own?.test(name);
  };
  cpSync(from, join(to, path), { recursive: true, filter });
}

const sizeOf = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((e) => e.isFile())
    .reduce((sum, e) => sum + statSync(join(e.parentPath, e.name)).size, 0);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, ...rest] = process.argv.slice(2);
  if (!folder || rest.length > 0) {
    console.error('usage: node tools/compose/assemble.mjs FOLDER');
    process.exit(64);
  }
  console.log(`${folder}: ${Math.round(assemble(folder) / 1e6)} MB`);
}
