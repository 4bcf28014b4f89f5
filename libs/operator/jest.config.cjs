module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'operator', rootDir: __dirname };
