export * from './api-client';
export * from './nova-contract';
export * from './test-cloud';
