module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'scheduler-sim', rootDir: __dirname };
