/**
 * REST clients of the neighbours, all found through identity's catalog. A session is built once per service:
 *
 *   const session = new ServiceSession({ authUrl, credentials, assertOutsideTransaction: (w) => db.assertOutsideTransaction(w) });
 *   const images = new ImageClient({ session });
 *   const networks = new NetworkClient({ session });
 *   const tokens = new TokenValidator({ session });
 *   const ctx = { requestId, ...contextOfToken(await tokens.validate(token)) };
 */
export * from './caller-config';
export * from './error-mapping';
export * from './identity-client';
export * from './identity-token';
export * from './image-client';
export * from './network-client';
export * from './network-types';
export { PlacementClient, type FenceOf, type PlacementCaller, type PlacementClientOptions } from './placement-client';
export * from './placement-config';
export { type QueryValue, type RestAnswer, type RestOptions, RestSender, versioned } from './rest';
export * from './service-catalog';
export { ServiceSession, type ServiceCredentials, type ServiceSessionOptions } from './service-session';
export * from './token-validator';
export {
  VolumeClient,
  type NewVolumeAttachment,
  type Volume,
  type VolumeAttachment,
  type VolumeClientOptions,
} from './volume-client';
export * from './volume-contract';
export * from './contract';
