module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'migrate', rootDir: __dirname };
