export * from './balanced';
export * from './database';
export * from './columns';
export * from './ddl';
export * from './placeholders';
