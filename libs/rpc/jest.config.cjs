module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'rpc', rootDir: __dirname };
