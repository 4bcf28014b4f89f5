module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'scheduler', rootDir: __dirname };
