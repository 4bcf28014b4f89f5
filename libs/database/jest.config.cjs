module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'database', rootDir: __dirname };
