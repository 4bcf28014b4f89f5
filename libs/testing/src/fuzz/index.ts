export * from './attack';
export * from './requests';
export * from './values';
