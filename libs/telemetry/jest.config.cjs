module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'telemetry', rootDir: __dirname };
