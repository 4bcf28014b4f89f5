const distributed = process.env.FRACTUS_E2E === 'distributed';
const embeddedOnly = Object.keys(require('./distributed/embedded-only.cjs'));
const escape = (s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

module.exports = {
  ...require('../tools/build/jest.preset.cjs'),
  displayName: distributed ? 'e2e distributed' : 'e2e',
  rootDir: __dirname,
  testMatch: ['<rootDir>/**/*.spec.ts'],
  testPathIgnorePatterns: (distributed ? embeddedOnly : ['distributed/']).map((p) => `^<rootDir>/${escape(p)}`),
  testTimeout: 120_000,
  ...(distributed && {
    globalSetup: '<rootDir>/distributed/global-setup.cjs',
    globalTeardown: '<rootDir>/distributed/global-teardown.cjs',
    // a cloud is a dozen processes, and all clouds share one MariaDB and one RabbitMQ
    maxWorkers: 1,
  }),
};
