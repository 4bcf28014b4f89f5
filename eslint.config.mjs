import nx from '@nx/eslint-plugin';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import prettier from 'eslint-config-prettier';

/** All that a pure library may import: its own files, our libraries (whose layer is checked too), packages without I/O. */
const NOT_PURE = '^(?!\\.|@fractus/(?!app-)|ipaddr\\.js$)';

export default tseslint.config(
  { ignores: ['**/dist', '**/node_modules', '**/tmp', '**/coverage', '.nx', '.fractus'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: false,
          // app modules are reached only through this alias; who may do so is limited below
          allow: ['@fractus/app-*'],
          depConstraints: [
            { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:lib'] },
            { sourceTag: 'type:lib', onlyDependOnLibsWithTags: ['type:lib'] },
            { sourceTag: 'type:e2e', onlyDependOnLibsWithTags: ['type:lib'] },
            { sourceTag: 'layer:pure', onlyDependOnLibsWithTags: ['layer:pure'] },
            { sourceTag: 'scope:compute-agent', notDependOnLibsWithTags: ['scope:compute-db'] },
            { sourceTag: 'scope:placement', notDependOnLibsWithTags: ['scope:compute-db'] },
            { sourceTag: 'scope:companions', notDependOnLibsWithTags: ['scope:compute-db', 'scope:rpc'] },
          ],
        },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['@fractus/app-*'], message: 'an app imports libs, never another app' }] },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'named exports only' },
        {
          selector: "Property[key.name='scope'] > MemberExpression[object.name='Scope'][property.name='REQUEST']",
          message: 'singletons only: no request-scoped provider',
        },
      ],
    },
  },
  {
    // the composition root and the test cloud put apps together; nothing else may
    files: [
      'apps/cloud/**/*.ts',
      'libs/testing/**/*.ts',
      'tools/migrate/**/*.ts',
      'tools/doctor/**/*.ts',
      'tools/placement/**/*.ts',
      'tools/upgrade-check/**/*.ts',
    ],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    files: ['libs/{objects,server-lifecycle,scheduling,os-traits,os-resource-classes}/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: NOT_PURE, message: 'this library is pure: no I/O, no framework' }] },
      ],
      'no-restricted-globals': [
        'error',
        'process',
        'console',
        'fetch',
        'WebSocket',
        'setTimeout',
        'setInterval',
        'setImmediate',
      ],
    },
  },
  {
    files: ['**/*.spec.ts', '**/test/**/*.ts', 'e2e/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: {
      globals: { module: 'writable', require: 'readonly', __dirname: 'readonly', process: 'readonly' },
    },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        console: 'readonly',
        process: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        performance: 'readonly',
        URL: 'readonly',
        AbortSignal: 'readonly',
        Buffer: 'readonly',
      },
    },
  },
  prettier,
);
