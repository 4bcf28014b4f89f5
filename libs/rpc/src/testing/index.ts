export { describeTransportContract } from './transport-contract';
export type { ConnectOptions, HarnessOptions, OpenHarness, TransportHarness } from './fixture';
