module.exports = { ...require('../../tools/build/jest.preset.cjs'), displayName: 'tasks', rootDir: __dirname };
