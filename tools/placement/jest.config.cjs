module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'placement', rootDir: __dirname };
