module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'dto-schema', rootDir: __dirname };
