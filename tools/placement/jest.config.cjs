module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'placement-tools', rootDir: __dirname };
