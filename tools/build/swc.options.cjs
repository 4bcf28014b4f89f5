/** One swc option set for jest and for bundling: legacy decorators + decorator metadata (Nest DI, TypeORM, class-validator). */
module.exports = (moduleType) => ({
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
    externalHelpers: false,
  },
  module: { type: moduleType },
  sourceMaps: true,
  swcrc: false,
});
