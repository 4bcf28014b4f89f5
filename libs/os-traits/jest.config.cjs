module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'os-traits', rootDir: __dirname };
