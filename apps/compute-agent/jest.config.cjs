module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'compute-agent', rootDir: __dirname };
