module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'upgrade-check', rootDir: __dirname };
