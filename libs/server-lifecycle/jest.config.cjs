module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'server-lifecycle', rootDir: __dirname };
