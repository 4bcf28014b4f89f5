export * from './errors';
export * from './context';
export * from './ids';
export * from './server-states';
