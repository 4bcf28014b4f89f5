module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'companions', rootDir: __dirname };
