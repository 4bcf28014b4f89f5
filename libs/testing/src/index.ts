export * from './api-client';
export * from './nova-contract';
