module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'conductor', rootDir: __dirname };
