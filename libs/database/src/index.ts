export { DatabaseConfig } from './config';
export { type Dialect, type SqlRow, type SqlValue, type Written } from './engine';
export { Database, type StatementListener, type StatementOptions, type Tx, type UnitOptions } from './database';
export { type DatabaseOptions, migrateDatabase, openDatabase } from './open-database';
export { driverCode, isDuplicateKey, isLost, isTransient } from './errors';
export * from './balanced';
export * from './columns';
export * from './ddl';
export * from './placeholders';
