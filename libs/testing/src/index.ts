/** Clouds for tests: in the test's process or as a process of their own, users of them, and what their books say. */
export * from './api-client';
export * from './books';
export * from './cloud-user';
export * from './compute-operations';
export * from './distributed-cloud';
export * from './eventually';
export * from './fuzz';
export * from './in-parallel';
export * from './nova-contract';
export * from './patience';
export * from './placement-contract';
export * from './process-cloud';
export * from './random';
export * from './servers';
export * from './story-cloud';
export * from './test-cloud';
export * from './use-cloud';
