module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'compute-db', rootDir: __dirname };
