module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'virt-simulated', rootDir: __dirname };
