module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'cloud', rootDir: __dirname };
