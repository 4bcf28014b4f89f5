export * from './clock';
export * from './driver';
export * from './errors';
export * from './power';
export * from './testing/driver-contract';
export * from './testing/guest-spec';
