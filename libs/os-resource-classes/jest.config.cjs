module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'os-resource-classes', rootDir: __dirname };
