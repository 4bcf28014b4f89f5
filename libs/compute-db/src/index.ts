export * from './rows';
export * from './compute-database';
