module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'rpc-contracts', rootDir: __dirname };
