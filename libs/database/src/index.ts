export { DatabaseConfig } from './config';
export { type Dialect, type SqlRow, type SqlValue, type Written } from './engine';
export {
  Database,
  type Effect,
  type StatementListener,
  type StatementOptions,
  type Tx,
  type UnitOptions,
} from './database';
export { type MysqlAddress, parseMysqlUrl } from './mysql-url';
export { type DatabaseOptions, migrateDatabase, openDatabase } from './open-database';
export { driverCode, isDuplicateKey, isLost, isTransient } from './errors';
export * from './balanced';
export * from './columns';
export * from './ddl';
export * from './placeholders';
