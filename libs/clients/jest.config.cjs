module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'clients', rootDir: __dirname };
