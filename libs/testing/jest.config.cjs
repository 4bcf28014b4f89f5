module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'testing', rootDir: __dirname };
