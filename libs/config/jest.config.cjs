module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'config', rootDir: __dirname };
