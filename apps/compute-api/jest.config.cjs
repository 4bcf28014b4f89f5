module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'compute-api', rootDir: __dirname };
