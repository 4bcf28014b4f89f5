module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'scheduling', rootDir: __dirname };
