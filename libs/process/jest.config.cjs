module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'process', rootDir: __dirname };
