const { mkdirSync } = require('node:fs');
const { resolve } = require('node:path');
const swc = require('./swc.options.cjs')('commonjs');
const { compilerOptions } = require('../../tsconfig.base.json');

const root = resolve(__dirname, '../..');
const escape = (s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

// The nx target writes its report here; jest does not make the folder.
mkdirSync(resolve(root, 'tmp/test-results'), { recursive: true });

/** Shared jest settings; a project's jest.config.cjs spreads this and adds displayName and rootDir. */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{src,test}/**/*.spec.ts'],
  moduleFileExtensions: ['ts', 'js', 'json', 'node'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, sourceMaps: 'inline' }] },
  moduleNameMapper: Object.fromEntries(
    Object.entries(compilerOptions.paths).map(([k, v]) => [`^${escape(k)}$`, resolve(root, v[0])]),
  ),
  // generous: it turns a hang into a failure, and says nothing about speed
  testTimeout: 60_000,
  setupFiles: [require.resolve('reflect-metadata')],
  cacheDirectory: resolve(root, 'tmp/jest'),
};
