export * from './capabilities';
export * from './missing';
export * from './room';
export * from './server-features';
export * from './traits';
