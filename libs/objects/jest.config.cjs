module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'objects', rootDir: __dirname };
