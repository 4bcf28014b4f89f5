export * from './option';
export * from './load-config';
export * from './describe-config';
export * from './secrets';
export * from './service-config';
