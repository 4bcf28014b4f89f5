export * from './config';
export * from './places';
export * from './reach';
export * from './command';
export * from './text';
