module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'microversions', rootDir: __dirname };
