module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'virt', rootDir: __dirname };
