// What the pages say is held against the tree: rendered pages are current, links resolve, paths named in prose exist.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../../..');
const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((page) => page !== '' && existsSync(resolve(root, page)));

/** The text without fenced blocks, in which brackets and backticks mean other things. */
const prose = (page) => readFileSync(resolve(root, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');

test('docs/operations/options.md is what the config classes say', () => {
  execFileSync(process.execPath, [resolve(root, 'tools/generators/options-docs.mjs'), '--check'], { stdio: 'pipe' });
});

test('every relative link leads somewhere', () => {
  const broken = pages.flatMap((page) =>
    [...prose(page).matchAll(/\]\((?!\w+:|#)([^)#\s]+)[^)]*\)/g)]
      .map(([, target]) => target)
      .filter((target) => !existsSync(resolve(root, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

test('every path in backticks exists, unless it holds a placeholder', () => {
  const broken = pages.flatMap((page) =>
    [...prose(page).matchAll(/`((?:apps|libs|tools|docs|e2e)\/[\w./-]+)`/g)]
      .map(([, path]) => path)
      .filter((path) => !existsSync(resolve(root, path)) && !/\bN+\b|…/.test(path))
      .map((path) => `${page}: ${path}`),
  );
  assert.deepEqual(broken, []);
});
