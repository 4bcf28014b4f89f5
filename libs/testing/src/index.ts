/** Clouds for tests: in the test's process or as a process of their own, users of them, and what their books say. */
export * from './api-client';
export * from './books';
export * from './compute-operations';
export * from './fuzz';
export * from './in-parallel';
export * from './nova-contract';
export * from './placement-contract';
export * from './process-cloud';
export * from './servers';
export * from './test-cloud';
export * from './use-cloud';
