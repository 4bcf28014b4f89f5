export * from './contract';
export * from './operations.dto';
export * from './hosts.dto';
export * from './conductor.contract';
export * from './compute.contract';
export * from './scheduler.contract';
export * from './placement.contract';
export { CONTRACTS, contractFingerprints, type Fingerprint, fingerprintsOf, type Shape } from './fingerprints';
