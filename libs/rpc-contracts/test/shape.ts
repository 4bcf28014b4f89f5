export { type Fingerprint, fingerprintsOf, type Shape } from '../src';
