export * from './admin';
export * from './config';
export * from './run-process';
