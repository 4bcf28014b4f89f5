/**
 * One declaration of a message: a class with decorators. From it come the JSON schema of each version, the validator
 * that runs at the edge (ajv, about a tenth of class-validator's cost) and the OpenAPI document.
 *
 * - class-validator's decorators are understood as they are; import them from `class-validator`.
 * - Required is the default. `Optional()` allows absence, `Nullable()` allows null, class-validator's `IsOptional()` both.
 * - Unknown members pass unless the class is `Closed()`.
 * - `Since/Until/Versions` say when a property exists, `InVersions(span, …rules)` when a rule holds.
 */
export * from './version';
export type { JsonSchema, JsonType } from './json-schema';
export * from './decorators';
export { FORMATS, parseInstant } from './formats';
export type { FormatName } from './formats';
export { jsonSchemaOf, edgesOfClass, epochOf } from './schema';
export { compileDto, compiledFrom } from './compile';
export type { CompiledDto, CompileOptions } from './compile';
export type { Violation, Source } from './messages';
export { show } from './messages';
export { classValidatorFaults } from './check';
export { pythonPattern } from './python-pattern';
export { compileSchema } from './ajv';
export type { DtoClass } from './metadata';
