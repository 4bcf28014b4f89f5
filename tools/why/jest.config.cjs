module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'why', rootDir: __dirname };
