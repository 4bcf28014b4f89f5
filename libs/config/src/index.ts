export * from './option';
export * from './load-config';
export * from './describe-config';
export * from './secrets';
