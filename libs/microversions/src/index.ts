/**
 * Microversions as data: negotiation, the ordered list of what each version changes, and the edge that applies it, so
 * that a handler sees one request form and gives one answer form whatever version was asked for.
 */
export * from './negotiate';
export * from './changes';
export * from './version-table';
export * from './edge/operation';
export * from './edge/query';
export * from './edge/edge';
export * from './edge/api.decorator';
export * from './edge/check';
export { compareVersions, ordinal } from '@fractus/dto-schema';
export type { Version, VersionSpan } from '@fractus/dto-schema';
