module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'http', rootDir: __dirname };
