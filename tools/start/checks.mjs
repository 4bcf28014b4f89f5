// What npm start and npm test check and install before anything else. Node only, no packages.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/** Ends the program with one clear line and exit code 1. */
export function fail(line) {
  console.error(`fractus: ${line}`);
  process.exit(1);
}

/** Node 20.19 or later, below 23: what the pinned packages are known to run on. */
export function checkNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  const good = (major === 20 && minor >= 19) || (major > 20 && major < 23);
  if (!good) fail(`Node ${version} will not do: install Node 20.19 or later, below 23 (https://nodejs.org)`);
}

const has = (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

/**
 * What is missing of the tools that compile the SQLite binding, with the command that installs them; null if nothing is.
 * They are needed only where no ready-made binary can be had, so their absence alone stops nothing.
 */
export function missingBuildTools() {
  const missing = [
    ['python3', 'python3'],
    ['make', 'make'],
    ['g++', 'a C++ compiler'],
  ].filter(([command]) => !has(command));
  if (missing.length === 0) return null;
  const install =
    process.platform === 'darwin'
      ? 'xcode-select --install'
      : 'apt-get install python3 make g++ (or your system’s equivalent)';
  return { names: missing.map(([, name]) => name).join(', '), install };
}

const lockHash = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
const marker = () => join(root, 'node_modules', '.fractus-installed');

/** Runs `npm ci` when the packages are missing or other than the lock file says. */
export function ensureInstalled() {
  if (existsSync(marker()) && readFileSync(marker(), 'utf8') === lockHash()) return;
  if (existsSync(join(root, 'node_modules', 'nx')) && lockedAsInstalled())
    return void writeFileSync(marker(), lockHash());
  const tools = missingBuildTools();
  if (tools)
    console.log(`Note: no ${tools.names} here. Should the SQLite binding have to be compiled: ${tools.install}`);
  console.log('Installing packages (once; a minute or three) …');
  const npm = spawnSync('npm', ['ci', '--no-fund', '--no-audit'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (npm.status !== 0)
    fail(
      tools
        ? `npm ci failed for want of ${tools.names}: ${tools.install}, then try again`
        : 'npm ci failed; its output is above',
    );
  writeFileSync(marker(), lockHash());
}

/** npm keeps a copy of what it installed; equal names and versions mean the lock file is satisfied. */
function lockedAsInstalled() {
  const hidden = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(hidden)) return false;
  const versions = (file) =>
    Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages ?? {})
      .filter(([path, p]) => path && !p.optional && !p.link)
      .map(([path, p]) => `${path}@${p.version}`)
      .sort()
      .join('\n');
  return versions(hidden) === versions(join(root, 'package-lock.json'));
}

function newest(dir) {
  let time = 0;
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) time = Math.max(time, entry.name === 'node_modules' ? 0 : newest(path));
    else if (/\.(ts|json)$/.test(entry.name) && !entry.name.endsWith('.spec.ts'))
      time = Math.max(time, statSync(path).mtimeMs);
  }
  return time;
}

/** Bundles the app unless its bundle is newer than every source file. Gives the bundle's path. */
export function ensureBuilt(app) {
  const bundle = join(root, 'dist', 'apps', app, 'main.js');
  const sources = Math.max(
    newest(join(root, 'apps')),
    newest(join(root, 'libs')),
    newest(join(root, 'tools/build')),
    statSync(join(root, 'package-lock.json')).mtimeMs,
  );
  if (existsSync(bundle) && statSync(bundle).mtimeMs > sources) return bundle;
  mkdirSync(join(root, 'dist'), { recursive: true });
  console.log(`Building apps/${app} …`);
  const build = spawnSync(process.execPath, [join(root, 'tools/build/build.mjs'), `apps/${app}`], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (build.status !== 0) fail(`the build of apps/${app} failed; its output is above`);
  return bundle;
}
