module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'policy', rootDir: __dirname };
