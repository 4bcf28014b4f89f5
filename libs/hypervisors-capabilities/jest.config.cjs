module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'hypervisors-capabilities', rootDir: __dirname };
