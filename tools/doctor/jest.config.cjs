module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'doctor', rootDir: __dirname };
